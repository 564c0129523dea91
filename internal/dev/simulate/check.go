package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/hook/journal"
)

// violation is something that must not happen.
type violation struct {
	seed  uint64
	step  int
	class string
	what  string // never a value
}

func (w *world) violates(c *call, class, what string) {
	v := violation{w.seed, w.done, class, fmt.Sprintf("%s, %s, the value %s: %s", c.a.name(), c.tool, c.form, what)}
	w.found = append(w.found, v)
	w.tells("VIOLATION %s: %s", class, v.what)
}

// check compares what the harness sends with what the model typed, and with what the agent's history
// entitles it to.
func (c *call) check(a answer) {
	w := c.a.session.w
	was := c.members()
	is := was
	if a.args != nil {
		is = object(a.args)
	}
	c.byHandle = false
	for name := range was {
		if !slices.Contains(valueArguments, name) && !bytes.Equal(was[name], is[name]) {
			w.violates(c, "another argument was changed", name)
		}
	}
	for name := range is {
		if _, there := was[name]; !there && name != "session_token" {
			w.violates(c, "another argument was added", name)
		}
	}
	for _, v := range []string{c.value, c.original} {
		if v != "" && len(v) > 40 && strings.Contains(a.said, v[:40]) {
			w.violates(c, "a value was told", "to the model")
		}
	}
	for _, name := range valueArguments {
		c.checkArgument(name, text(was[name]), text(is[name]), was[name] != nil && c.argument == name, a)
	}
	c.carried = text(is["session_token"])
	if h := text(is["checkpoint_handle"]); h != "" && (c.tool == "present_checkpoint" || c.tool == "respond_checkpoint") {
		c.carried, c.byHandle = h, true
	}
	x := c.a.threadOf(c.carried)
	c.back = x != nil && !x.heads[c.carried] && (c.typed() || c.a.side != nil && c.a.side.heads[c.carried])
	if c.a.started == nil && !c.byHandle && !a.denied && c.tool != "start_session" {
		c.a.started = x
	}
	c.tell(a)
}

func (c *call) tell(a answer) {
	w := c.a.session.w
	if !w.tell {
		return
	}
	typed := string(c.form)
	if c.typed() {
		typed = fmt.Sprintf("%s (%s)", c.form, c.a.session.shown(c.original))
	}
	if c.kind != "" {
		typed += ", " + c.kind
	}
	outcome := "carries " + c.a.session.shown(c.carried)
	if a.denied {
		outcome = "denied"
	}
	did, why := w.last()
	if len(c.a.batch) > 1 {
		did, why = "of a batch", ""
	}
	w.tells("%-8s %s %s %s -> %s   (%s: %s)", c.a.name(), c.tool, c.argument, typed, outcome, did, why)
}

func (c *call) checkArgument(name, was, is string, typed bool, a answer) {
	w := c.a.session.w
	switch {
	case typed && c.typed():
		c.checkTyped(was, is, a)
	case typed && c.tool == "start_session" && was != "":
		c.checkOpening(was, is, a)
	case was == is && is != "" && !typed:
	case name != "session_token":
		if was != is {
			w.violates(c, "another argument was changed", name)
		}
	case c.tool == "start_session" || noValue[c.tool]:
		if was != is {
			w.violates(c, "a value where none belongs", "")
		}
	case c.argument == "checkpoint_handle" && c.typed():
		if was != is {
			w.violates(c, "a value beside a handle", "")
		}
	default:
		c.checkMissing(was, is)
	}
}

var noValue = map[string]bool{"discover": true, "list_workflows": true, "health_check": true, "resolve_operations": true}

// checkTyped: a good value arrives as it is; of a damaged one comes its original, or itself.
func (c *call) checkTyped(was, is string, a answer) {
	w := c.a.session.w
	good := w.values[was] > 0
	switch {
	case a.denied && good:
		w.violates(c, "a good value was denied", "")
	case a.denied && c.tool != "start_session":
		w.violates(c, "a call was denied", "it opens no session")
	case a.denied, was == is:
		if !good && c.tool == "start_session" && !a.denied && !c.lost {
			w.counts.damaged++
		}
		return
	case good:
		w.violates(c, "a good value was changed", "into "+c.a.session.shown(is))
	case is == c.original || is == c.second && c.form == spliced,
		w.values[is] > 0 && payload(is) == payload(was): // or a good one that says just what it says
		w.counts.restored++
		if c.form == spliced {
			w.counts.spliced++
		}
	default:
		w.violates(c, "a damaged value became another", c.kind+": "+c.a.session.shown(is)+" instead of "+c.a.session.shown(c.original))
	}
}

// checkOpening: what stands for a value where a session is opened becomes one that its agent is entitled to, or
// the call is not made. The server would open a session with nothing to do with the one that was meant.
func (c *call) checkOpening(was, is string, a answer) {
	w := c.a.session.w
	if !a.denied {
		c.checkMissing(was, is)
		if is == was {
			w.violates(c, "a placeholder where a session is opened", was)
		}
		return
	}
	if own := c.a.entitled(); own.must && !own.killed && !c.a.guesses(own) {
		_, why := w.last()
		w.violates(c, "denied though entitled", why)
	}
}

// checkMissing: what the model left out is what its agent is entitled to, or missing still.
func (c *call) checkMissing(was, is string) {
	w := c.a.session.w
	own := c.a.entitled()
	guessed := c.a.guesses(own)
	switch {
	case is != was && (own.values[is] || c.a.session.follows(is, own.from)):
		w.counts.right++
	case is != was && (own.killed || c.a.session.main.killed):
		w.counts.killed++
	case is != was && guessed:
		w.counts.guessed++
	case is != was && c.a.coincides(is, own):
		w.counts.coincided++
	case is != was:
		w.violates(c, c.wrong(is, own), c.a.session.shown(is)+"; entitled to "+c.a.session.list(own)+" because "+own.how)
	case own.must && !own.killed && !guessed:
		_, why := w.last()
		w.violates(c, "not injected though entitled", why)
	default:
		w.counts.missing++
	}
}

// coincides tells whether the value is of a thread that was handed the same bytes as the agent's own, for
// the server was asked for both in one second: of such a value nobody can say whose it is.
func (a *agent) coincides(value string, own right) bool {
	x := a.session.of[value]
	return x != nil && (x.twice || own.on != nil && own.on.twice)
}

// guesses: decision 0005 has a sub-agent that has made no call go on with the main agent's thread,
// though its prompt, which no hook sees, may have handed it another one.
func (a *agent) guesses(own right) bool {
	return a.id != "" && !a.used && a.handed != "" && !own.values[a.handed] && a.session.of[a.handed] != a.session.main.on
}

// wrong names what is wrong with a value that was put in, by what went before.
func (c *call) wrong(value string, own right) string {
	a, x := c.a, c.a.session.of[value]
	class := "another thread's value"
	switch {
	case x == nil:
		return "another session's value"
	case x == own.on && value == a.got && a.handled == nil:
		return "its own late answer instead of the newest value"
	case x == own.on:
		class = "an older value"
	}
	switch on := own.on; {
	case a.torn:
		return "a value while two may be meant"
	case a.handled == x || a.session.main.handled == x:
		class += ", after a handle was typed"
	case strings.Contains(own.how, "failed") && own.on == nil:
		class += ", after a failed call with one of another session"
	case strings.Contains(own.how, "failed"):
		class += ", after a failed call"
	case strings.Contains(own.how, "handed out no value"):
		class += ", after a call without a new value"
	case a.lastTool == "resume_checkpoint":
		class += ", after a result whose value no event shows"
	case a.readLate == x:
		class += ", after a result that was read late"
	case on != nil && x != on && x.root() == on.root():
		class += ", one adopted from the other"
	case x.twice || on != nil && on.twice:
		class += ", after the same bytes came twice"
	case on != nil && on.split:
		class += ", after one of two equal values was gone on from"
	}
	return class
}

// root is the thread that all adoptions come from.
func (x *thread) root() *thread {
	for x.adopted != nil {
		x = x.adopted
	}
	return x
}

func (s *session) list(own right) string {
	var all []string
	for v := range own.values {
		all = append(all, s.shown(v))
	}
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// last is what the journal says of the hook that ran last.
func (w *world) last() (did, why string) {
	content, err := os.ReadFile(w.home.journal())
	if err != nil {
		return "", "there is no journal"
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	e, _ := journal.Parse(lines[len(lines)-1])
	return e.Did, e.Why
}

// audit reads the journal of a schedule: what was done, and that no value is in it.
func (w *world) audit() error {
	if _, err := journal.In(w.home.state()).Each(func(e journal.Entry) {
		w.counts.did[e.Did]++
		if e.Did == "error" {
			w.found = append(w.found, violation{w.seed, w.done, "the hook had an error", e.Why})
		}
	}); err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(w.home.state(), "*")) // beside the vault, whose folder is passed over
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		content = longWords(content)
		for value := range w.values {
			if w.leaks(content, value) {
				w.found = append(w.found, violation{w.seed, w.done, "a value in " + filepath.Base(path), ""})
			}
		}
		for _, value := range w.typed {
			if w.leaks(content, value) {
				w.found = append(w.found, violation{w.seed, w.done, "a damaged value in " + filepath.Base(path), ""})
			}
		}
	}
	return nil
}

// longWords returns the different words of a text that are long enough to hold a part of a value that
// leaks looks for. A journal says the same words again and again.
func longWords(content []byte) []byte {
	const shortest = 16
	known := map[string]bool{}
	var all []byte
	for word := range bytes.FieldsFuncSeq(content, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}) {
		if len(word) >= shortest && !known[string(word)] {
			known[string(word)] = true
			all = append(append(all, word...), '\n')
		}
	}
	return all
}

// leaks looks for the beginning of what a value says beyond what all have in common, and for its end.
func (*world) leaks(content []byte, value string) bool {
	return len(value) > 40 && (bytes.Contains(content, []byte(value[:24])) || bytes.Contains(content, []byte(value[len(value)-16:])))
}

func object(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err) // ours, or a changed one: the hook's promise
	}
	return m
}

func text(raw json.RawMessage) string {
	var s string
	if raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// payload is a value without its signature.
func payload(value string) string { return value[:max(0, strings.LastIndexByte(value, '.'))] }
