package carry

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"wsi/internal/jsonraw"
)

// TestConversations plays the conversations in testdata: of token.txtar with the workflow-server that has tokens, of index.txtar with
// the one that has an index. A line is a call, or what must be true:
//
//	[@AGENT] TOOL [VALUE] [NAME=VALUE] [NAME:=JSON] [-> RESULT] [= VALUE]
//	                          VALUE is put where the rule puts it; after = is what the call carried
//	ID: [@AGENT] TOOL ...     a call that is not answered yet
//	ID -> RESULT              its answer
//	ID noted                  its answer does not show the value, and a transcript may
//	ID found VALUE            and does
//	[@AGENT] gets VALUE [WHY] what the next call carries, and why
//	chains N                  so many chains are known
//
// A VALUE is a word, - for none, or SID/AID/SEQ for a token (see [minted]), with ! one of another server. A RESULT is a VALUE in _meta,
// refused, hidden, text "...", json {...}, or nothing.
func TestConversations(t *testing.T) {
	for file, rule := range map[string]*Rule{"token": &rule, "index": IndexServer()} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "conversations", file+".txtar"))
		if err != nil || len(archive.Files) == 0 {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			t.Run(f.Name, func(t *testing.T) {
				c := &conversation{t: t, rule: rule}
				c.play(string(f.Data))
			})
		}
	}
}

// conversation plays calls of one harness session.
type conversation struct {
	t     *testing.T
	rule  *Rule
	state State
	calls map[string]Call // that have an id in the script
	notes map[string]Note
	n     int
}

func (c *conversation) play(script string) {
	c.t.Helper()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			c.line(line)
		}
	}
}

func (c *conversation) line(line string) {
	c.t.Helper()
	ask, want, checks := strings.Cut(line, " = ")
	ask, answer, answers := strings.Cut(ask, " -> ")
	id, call, begins := strings.Cut(ask, ": ")
	if !begins {
		id, call = "", ask
	}
	words := strings.Fields(call)
	agent, isAgent := strings.CutPrefix(words[0], "@")
	if isAgent {
		words = words[1:]
	} else {
		agent = ""
	}
	known, waits := c.calls[words[0]]
	switch {
	case line == "any call may change the session":
		silent := *c.rule
		silent.Flow.Changes = nil
		c.rule = &silent
	case words[0] == "gets":
		c.gets(agent, tokenOf(words[1]), strings.Join(words[2:], " "))
	case words[0] == "chains":
		if strconv.Itoa(len(c.state.Chains)) != words[1] {
			c.t.Errorf("%s: %+v", line, c.state.Chains)
		}
	case waits && answers:
		c.answer(known, answer)
	case waits && words[1] == "noted":
		n := After(c.rule, &c.state, known, Result{}).Note
		n.Answered, n.Files = true, []string{"transcript"}
		c.state.AddNote(n)
		c.notes[words[0]] = n
	case waits:
		Settle(c.rule, &c.state, c.notes[words[0]], nil, c.result(words[2]))
		c.state.Forget(c.notes[words[0]])
	default:
		made, carried := c.begin(agent, words[0], words[1:])
		if checks && carried != tokenOf(want) {
			c.t.Errorf("%s: it carried %q", line, carried)
		}
		if begins {
			c.calls[id] = made
		} else {
			c.answer(made, answer)
		}
	}
}

// begin makes a call, and returns it as the server gets it.
func (c *conversation) begin(agent, tool string, words []string) (call Call, carried string) {
	c.t.Helper()
	if c.calls == nil {
		c.calls, c.notes = map[string]Call{}, map[string]Note{}
	}
	c.n++
	call = Call{Agent: agent, ID: fmt.Sprint("call", c.n), Tool: tool, Args: []byte(`{}`)}
	argument := string(c.rule.Inject[0].Argument)
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		raw := jsonraw.Quote(tokenOf(value))
		if !named {
			name, raw = argument, jsonraw.Quote(tokenOf(word))
		} else if other, isRaw := strings.CutSuffix(name, ":"); isRaw {
			name, raw = other, []byte(value)
		}
		call.Args = jsonraw.Set(call.Args, name, raw)
	}
	d := Before(c.rule, &c.state, call)
	if d.Action == Denied {
		c.t.Errorf("%s %q: denied (%s)", tool, words, d.Why)
	}
	if c.state.Begin(c.rule, call, d); d.Changes() {
		call.Args = d.Change.Args
	}
	return call, valueAt(call.Args, Path(argument))
}

func (c *conversation) answer(call Call, answer string) {
	c.t.Helper()
	r := c.result(answer)
	if d := After(c.rule, &c.state, call, r); d.Unseen {
		GiveUp(&c.state, d.Note, r)
	}
}

func (c *conversation) result(answer string) (r Result) {
	c.t.Helper()
	for rest := answer; rest != ""; {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		switch word {
		case "nothing":
		case "hidden":
			r.Hidden = true
		case "refused":
			r.Error, r.Blocks = true, []Block{{Text: []byte(`"Blocked: Active checkpoint"`)}}
			if rest != "" {
				r.Blocks[0].Text = []byte(rest)
			}
			return r
		case "text":
			text, err := strconv.Unquote(rest)
			if err != nil {
				c.t.Fatal(answer, err)
			}
			r.Blocks = []Block{{Text: jsonraw.Quote(text)}}
			return r
		case "json":
			r.Blocks = []Block{{Text: jsonraw.Quote(rest)}}
			return r
		default:
			r.Meta = fmt.Appendf(nil, `{%q:%q}`, c.rule.Inject[0].Argument, tokenOf(word))
		}
	}
	return r
}

// gets checks what a call without a value carries.
func (c *conversation) gets(agent, want, why string) {
	c.t.Helper()
	d := Before(c.rule, &c.state, Call{Agent: agent, ID: "asked", Tool: "next_activity", Args: []byte(`{}`)})
	if d.Change.Value != want || why != "" && d.Why != why {
		c.t.Errorf("a call of %q without a value carries %q, want %q (%s)", agent, d.Change.Value, want, d.Why)
	}
	if want == "" && d.ModelNotice == "" && c.state.hasHad(c.rule.Server) {
		c.t.Errorf("the model is not told why a call of %q carries nothing (%s)", agent, d.Why)
	}
}

var tokenForm = regexp.MustCompile(`^(\w+)/(\w+)/(\d+)(!?)$`)

// tokenOf returns the value that a script means by a word.
func tokenOf(word string) string {
	m := tokenForm.FindStringSubmatch(word)
	if m == nil {
		return strings.TrimPrefix(word, "-")
	}
	seq, _ := strconv.Atoi(m[3]) // it is a number
	sid := map[string]string{"A": sidA, "B": sidB, "U": uuidA}[m[1]]
	if sid == "" {
		sid = m[1]
	}
	return minted{SID: sid, AID: m[2], Seq: seq}.token(map[string]string{"": "key", "!": "another key"}[m[4]])
}
