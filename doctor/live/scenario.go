package live

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// Proof has the scripts that a harness must run. The server must receive every call in them, with the newest token of its
// session if it takes one.
type Proof struct {
	Flags   []string // of the reference server
	Scripts Scripts
	Runs    []string // the scripts of the runs, one after the other
	Untold  bool     // no rule shows the model what _meta has
}

// Outcome is what the server saw in a scenario.
type Outcome struct {
	Calls, Expected int // calls received, calls in the scripts
	Right, Needed   int // calls with the right token, calls that take one
	Leaks           int // requests to the model with a token in them
	Tokens          int // trace tokens that the server got back
	Warnings        int // of the server in _meta, which the model read once
	Sessions        int // that the server opened
	Wrong           []string
	Spoken          []string // the revisions of MCP
}

// Run has the rig's harness run the scripts, and asks the server what it received.
func (p Proof) Run(ctx context.Context, r *Rig) (Outcome, error) {
	for _, name := range p.Runs {
		if _, err := r.Prompt(ctx, name, ""); err != nil {
			return Outcome{}, err
		}
	}
	return p.outcome(r, true)
}

// outcome returns what the server saw. With search, no file and no request to the model may have a token in it.
func (p Proof) outcome(r *Rig, search bool) (Outcome, error) {
	o, err := p.seen(r)
	if err != nil {
		return o, err
	}
	for _, host := range r.Model.Refused() {
		o.Wrong = append(o.Wrong, "the harness asked for "+host)
	}
	if !search {
		return o, nil
	}
	kept, err := r.Kept()
	if err != nil {
		return o, err
	}
	for _, file := range kept {
		o.Wrong = append(o.Wrong, "there is a token in "+file)
	}
	o.Leaks, err = r.Leaks()
	return o, err
}

func (p Proof) seen(r *Rig) (Outcome, error) {
	calls, err := r.Calls()
	if err != nil {
		return Outcome{}, err
	}
	o := p.judge(calls)
	if p.Untold {
		return o, nil
	}
	for _, c := range calls {
		for _, notice := range c.Notices {
			if n := r.Model.most(notice); n != 1 {
				o.Wrong = append(o.Wrong, fmt.Sprintf("the model read a warning in the _meta of %s %d times", c.Tool, n))
			} else {
				o.Warnings++
			}
		}
	}
	return o, nil
}

// judge compares the ledger with the scripts: each call must come in its order, with the newest token of its session.
func (p Proof) judge(calls []refserver.Call) Outcome {
	o := Outcome{Calls: len(calls)}
	received := map[string][]refserver.Call{}
	for _, c := range calls {
		received[c.Label] = append(received[c.Label], c)
		if c.Protocol != "" {
			o.Spoken = lists.AddUnique(o.Spoken, c.Protocol)
		}
		if c.Tool == opening {
			o.Sessions++
		}
		if c.Verdict == refserver.NotNeeded {
			continue
		}
		o.Needed++
		if c.Trace != nil {
			o.Tokens += c.Trace.Own
		}
		switch {
		case c.Trace != nil && (!c.Trace.All || c.Trace.Tokens != c.Trace.Own):
			o.Wrong = append(o.Wrong, fmt.Sprintf("%s of %q: %d of %d trace tokens arrived, and %d others; their order may be wrong",
				c.Tool, c.Label, c.Trace.Own, c.Trace.Own+c.Trace.Missing, c.Trace.Foreign+c.Trace.Unknown))
		case c.Verdict != refserver.Right:
			o.Wrong = append(o.Wrong, fmt.Sprintf("%s of %q: %s", c.Tool, c.Label, c.Verdict))
		case c.AID != p.owner(c.Label):
			o.Wrong = append(o.Wrong, fmt.Sprintf("%s of %q: the token of %q", c.Tool, c.Label, c.AID))
		default:
			o.Right++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		want := p.Scripts[name].tools()
		o.Expected += len(want)
		got := lists.Map(received[name], func(c refserver.Call) string { return c.Tool })
		if !slices.Equal(got, want) {
			o.Wrong = append(o.Wrong, fmt.Sprintf("%q called %v instead of %v", name, got, want))
			continue
		}
		o.Wrong = append(o.Wrong, altered(p.Scripts[name], received[name])...)
	}
	return o
}

// altered returns the calls with arguments that arrived differently from those of an earlier call of the script with
// the same typed arguments. Harnesses encode arguments again, so altered does not compare them with what the model
// typed, but with what the harness sends for a call that no hook rewrites.
func altered(script Script, received []refserver.Call) (wrong []string) {
	first := map[string]string{}
	i := 0
	for _, turn := range script {
		for _, c := range turn {
			if c.Tool == "" {
				continue
			}
			if digest, again := first[c.Args]; !again {
				first[c.Args] = received[i].Digest
			} else if digest != received[i].Digest {
				wrong = append(wrong, c.Tool+": its other arguments were altered on the way")
			}
			i++
		}
	}
	return wrong
}

// owner returns the script that began the session of a script: itself, the one that started it, or the one it resumes.
func (p Proof) owner(name string) string {
	if slices.Contains(p.Scripts[name].tools(), opening) {
		return name
	}
	for parent, script := range p.Scripts {
		for _, turn := range script {
			if slices.ContainsFunc(turn, func(c Call) bool { return c.Sub == name }) {
				return p.owner(parent)
			}
		}
	}
	return p.Runs[0]
}

// Scripts are what the model says, by name. The prompt of a run, or of a sub-agent, names one.
type Scripts map[string]Script

// Script is a conversation: one turn per answer of the model.
type Script []Turn

// Turn is one answer: calls made at once. An empty one ends the conversation.
type Turn []Call

// Call is one tool call of the model.
type Call struct {
	Tool string // a tool of the server
	Args string // raw JSON object; a label is put before its members
	Sub  string // instead of a tool: start a sub-agent with this script and wait for it
	Say  string // what the sub-agent is told in addition
	Bare bool   // no label: the server takes no argument that it does not know
}

// arguments returns the arguments that the model types in a script. They contain the script's name, so that the
// server's ledger identifies the call. A session is labelled too, by its agent_id.
func (c Call) arguments(script string) string {
	if c.Bare {
		return c.Args
	}
	members := `"label":` + string(mustJSON(script))
	if c.Tool == opening && !strings.Contains(c.Args, `"agent_id"`) {
		members += `,"agent_id":` + string(mustJSON(script))
	}
	if rest := strings.TrimPrefix(c.Args, "{"); rest != "}" {
		return "{" + members + "," + rest
	}
	return "{" + members + "}"
}

func (c Call) prompt() string {
	return strings.TrimSpace("Work through the script. " + marker(c.Sub) + " " + c.Say)
}

const opening = "start_session"

func marker(name string) string { return "[[script:" + name + "]]" }

var markers = sync.OnceValue(func() *regexp.Regexp { // not before main: the hook would pay for it
	return regexp.MustCompile(`\[\[script:([\w-]+)\]\]`)
})

// named returns the script that a text names last, "" if it names none.
func named(text string) string {
	all := markers().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

func (s Script) tools() []string {
	var names []string
	for _, turn := range s {
		for _, c := range turn {
			if c.Tool != "" {
				names = append(names, c.Tool)
			}
		}
	}
	return names
}

// turn returns the n-th turn of a script, an empty one past its end.
func (s Scripts) turn(name string, n int) Turn {
	if t := s[name]; n < len(t) {
		return t[n]
	}
	return nil
}

// callID is unique over a run, as a model's are.
func callID(script string, turn, i int) string { return fmt.Sprintf("call_%s_%d_%d", script, turn, i) }
