package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wsi/doctor"
	"wsi/hook/journal"
	"wsi/internal/phrase"
	"wsi/internal/refserver"
)

// Prover proves delivery for `wsi doctor --live`.
type Prover struct {
	Wsi string // this program, absolute: it is the reference server, too
}

// theProof returns the scenario of a proof: the usual calls of a session, with mistakes that models make, and a second
// session with another value. The server is of the generation of the user's. With agents, a sub-agent has the second session
// within the first. That succeeds only if the relay knows the caller, and needs only one start of the harness.
func theProof(c doctor.LiveCase) Proof {
	p := Proof{Scripts: withToken(), Runs: []string{"first", "second"}, Untold: !c.Shows}
	if c.Index {
		p.Scripts, p.Flags = withIndex(), []string{"--index"}
	}
	if !c.Collects {
		for name, script := range p.Scripts {
			p.Scripts[name] = slices.DeleteFunc(script, func(t Turn) bool { return t[0].Tool == "get_trace" })
		}
	}
	if c.Agents {
		p.Runs = p.Runs[:1]
		p.Scripts["first"] = append(p.Scripts["first"], Turn{{Sub: "second"}}, Turn{{Tool: "get_workflow_status", Args: `{}`}})
	}
	return p
}

func withToken() Scripts {
	return Scripts{
		"first": {
			{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "get_activity", Args: `{"session_token":"<session_token>"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"build"}`}},
			{{Tool: "get_trace", Args: `{}`}},
			{{Tool: "get_trace", Args: `{"trace_tokens":[]}`}},
		},
		"second": {
			{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "get_trace", Args: `{}`}},
		},
	}
}

// withIndex is for the server that warns in _meta. It warns twice.
func withIndex() Scripts {
	return Scripts{
		"first": {
			{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "get_activity", Args: `{"context_tokens":1000}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"build","session_index":"<session_index>"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"review"}`}},
			{{Tool: "get_trace", Args: `{}`}},
			{{Tool: "get_trace", Args: `{"trace_tokens":[]}`}},
		},
		"second": {
			{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "get_trace", Args: `{}`}},
		},
	}
}

// Prove is a doctor.Live: it runs the harness's own binary in a home of its own, with a copy of the user's registration.
func (p Prover) Prove(ctx context.Context, c doctor.LiveCase) (doctor.LiveProof, error) {
	if _, ok := drivers[c.Harness.ID]; !ok {
		return doctor.LiveProof{Cannot: c.Harness.Name + " cannot be run without its window"}, nil
	}
	if c.Env.GOOS == "windows" {
		return doctor.LiveProof{Cannot: "not tried on Windows, where wsi has not yet proven that the test leaves your home alone"}, nil
	}
	todo := theProof(c)
	limit := cmp.Or(c.Harness.Proof.Time, 50*time.Second) * time.Duration(max(2, len(todo.Runs))) / 2
	kill := c.Front.Path != "" && !slices.Contains(c.Front.Life, "--no-restart")
	if kill {
		todo.Flags = append(todo.Flags, "--killed-after", strconv.Itoa(killedAfter))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := New(Options{
		Harness: c.Harness.ID, Binary: c.Binary, Version: c.Version, Name: c.Server, Path: c.Env.Getenv("PATH"),
		Server: []string{p.Wsi, refserver.Command}, Flags: todo.Flags, Front: c.Front, Dir: c.Dir, Script: todo.Scripts,
	})
	if err != nil {
		return doctor.LiveProof{}, err
	}
	r.Way, r.agents, r.timeout = c.Way, c.Agents, limit
	if err := errors.Join(r.inProject(c), r.adopt(c)); err != nil {
		return doctor.LiveProof{}, errors.Join(err, r.Close())
	}
	if waits := c.Env.Patience; waits != nil && waits.Tell != nil {
		waits.Tell(c.Harness.Name) // a proof takes up to a minute
	}
	o, err := todo.Run(ctx, r)
	closed := r.Close()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && closed == nil {
		return late(todo, r)
	}
	if err = errors.Join(err, closed); err != nil {
		return doctor.LiveProof{}, r.inWords(err)
	}
	proof := todo.said(o)
	if kill {
		err = r.judgeRestart(&proof)
	}
	return proof, err
}

// killedAfter is the number of calls after which the reference server is killed, once, if a relay is in front of it.
const killedAfter = 3

// judgeRestart adds what became of the server that was killed.
func (r *Rig) judgeRestart(p *doctor.LiveProof) error {
	entries, err := journal.In(r.state()).Entries()
	again := slices.ContainsFunc(entries, func(e journal.Entry) bool { return e.Verb == journal.Restart })
	p.Killed = fmt.Sprintf("; the server was killed once, after call %d, ", killedAfter)
	switch {
	case !again:
		p.Killed += "and wsi relay did not start it again"
		p.Wrong = cmp.Or(p.Wrong, "the calls after that did not need it")
	case p.Wrong != "" || p.Right < p.Needed:
		p.Killed += "and wsi relay started it again"
	default:
		p.Killed += "and the next call was right"
	}
	return err
}

// late returns the proof of a harness that did not end in time, with what it did until then.
func late(of Proof, r *Rig) (doctor.LiveProof, error) {
	o, err := of.seen(r)
	if err != nil {
		return doctor.LiveProof{}, r.inWords(err)
	}
	p := of.said(o)
	p.Late = fmt.Sprintf("it did not end within %s", r.timeout)
	if o.Right == o.Needed {
		p.Wrong = "" // missing calls are late, not wrong
	}
	return p, nil
}

// said returns the outcome in the doctor's words, with what the reference server played.
func (p Proof) said(o Outcome) doctor.LiveProof {
	server := "wsi's test server, with a session_token,"
	if slices.Contains(p.Flags, "--index") {
		server = "wsi's test server, with a session_index,"
	}
	said := doctor.LiveProof{
		Right: o.Right, Needed: o.Needed, Spoken: strings.Join(o.Spoken, " and "),
		Saw: fmt.Sprintf("%s saw %s of %s", server, phrase.Count(o.Calls, "call"), phrase.Count(o.Sessions, "session")),
	}
	if o.Tokens > 0 {
		said.Saw += fmt.Sprintf(", with %d trace tokens", o.Tokens)
	}
	if o.Warnings > 0 {
		said.Saw += fmt.Sprintf(", and the model read %d warnings", o.Warnings)
	}
	switch {
	case o.Calls == 0:
		said.Saw, said.Wrong = server+" saw no call", "nothing arrived"
	case len(o.Wrong) > 0:
		said.Wrong = o.Wrong[0]
	case o.Calls != o.Expected:
		said.Wrong = fmt.Sprintf("%d calls were made", o.Expected)
	case o.Leaks > 0:
		said.Wrong = fmt.Sprintf("%d requests to the model had a value in them", o.Leaks)
	}
	return said
}

// inWords shortens what a harness printed to its last line, without folders and values.
func (r *Rig) inWords(err error) error {
	first, rest, _ := strings.Cut(err.Error(), "\n")
	words := r.hide(first)
	if said := strings.TrimSpace(rest); said != "" {
		words += ": " + r.hide(said[strings.LastIndexByte(said, '\n')+1:])
	}
	if most := 300; len(words) > most {
		words = strings.ToValidUTF8(words[:most], "") + "..."
	}
	return errors.New(words)
}

// likeValues matches what looks like a value. It matches no word, path or hash.
var likeValues = sync.OnceValue(func() *regexp.Regexp { // not compiled at start, which would slow down every hook
	return regexp.MustCompile(`[A-Za-z0-9_+/=-]{60,}(\.[A-Za-z0-9_+/=.-]{16,})?`)
})

// hide removes values and the folders of the rig from a text.
func (r *Rig) hide(s string) string {
	s = strings.NewReplacer(r.Home, "~", r.root, "<project>", r.temp, "<temp>").Replace(s)
	if len(r.user) > 1 { // else it is not known, or everything is below it
		s = strings.ReplaceAll(s, r.user, "~")
	}
	return likeValues().ReplaceAllString(s, "<value>") // last, for long paths look like values
}
