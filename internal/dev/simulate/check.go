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
	what  string // never contains a value
}

func (w *world) violation(c *call, class, what string) {
	v := violation{w.seed, w.done, class, fmt.Sprintf("%s, %s, the value %s: %s", c.a.name(), c.tool, c.form, what)}
	w.found = append(w.found, v)
	w.logf("VIOLATION %s: %s", class, v.what)
}

// check compares what the harness sends with what the model typed, and with the values to which the agent is
// entitled.
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
			w.violation(c, "another argument was changed", name)
		}
	}
	for name := range is {
		if _, there := was[name]; !there && name != "session_token" && (name != tokenList || c.tool != "get_trace") {
			w.violation(c, "another argument was added", name)
		}
	}
	for _, v := range []string{c.value, c.original} {
		if v != "" && len(v) > 40 && strings.Contains(a.message, v[:40]) {
			w.violation(c, "a value was shown to the model", "")
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
	c.a.session.back[c] = x != nil && !x.heads[c.carried] && (c.typed() || c.a.side != nil && c.a.side.heads[c.carried])
	if c.a.started == nil && !c.byHandle && !a.denied && c.tool != "start_session" {
		c.a.started = x
	}
	c.log(a)
}

func (c *call) log(a answer) {
	w := c.a.session.w
	if !w.verbose {
		return
	}
	typed := string(c.form)
	if c.typed() {
		typed = fmt.Sprintf("%s (%s)", c.form, c.a.session.describe(c.original))
	}
	if c.kind != "" {
		typed += ", " + c.kind
	}
	outcome := "carries " + c.a.session.describe(c.carried)
	if a.denied {
		outcome = "denied"
	}
	did, why := w.last()
	if len(c.a.batch) > 1 {
		did, why = "of a batch", ""
	}
	w.logf("%-8s %s %s %s -> %s   (%s: %s)", c.a.name(), c.tool, c.argument, typed, outcome, did, why)
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
			w.violation(c, "another argument was changed", name)
		}
	case c.tool == "start_session" || noValue[c.tool]:
		if was != is {
			w.violation(c, "a value in a call that takes none", "")
		}
	case c.argument == "checkpoint_handle" && c.typed():
		if was != is {
			w.violation(c, "a value was added to a handle", "")
		}
	default:
		c.checkMissing(was, is)
	}
}

var noValue = map[string]bool{"discover": true, "list_workflows": true, "health_check": true, "resolve_operations": true}

// checkTyped checks a call with a typed value: a good value must arrive unchanged. A damaged value must arrive as its
// original or unchanged.
func (c *call) checkTyped(was, is string, a answer) {
	w := c.a.session.w
	good := w.values[was] > 0
	switch {
	case a.denied && good:
		w.violation(c, "a good value was denied", "")
	case a.denied && c.tool != "start_session":
		w.violation(c, "a call was denied", "start_session was not called")
	case a.denied, was == is:
		if !good && c.tool == "start_session" && !a.denied && !c.lost {
			w.counts["sessions opened with a damaged value"]++
		}
		return
	case good:
		w.violation(c, "a good value was changed", "into "+c.a.session.describe(is))
	case is == c.original || is == c.second && c.form == spliced,
		w.values[is] > 0 && payload(is) == payload(was): // or a good value with the same payload
		w.counts["damaged, the original arrived"]++
		if c.form == spliced {
			w.counts["  of these, made of two values"]++
		}
	default:
		w.violation(c, "a damaged value became another", c.kind+": "+c.a.session.describe(is)+" instead of "+c.a.session.describe(c.original))
	}
}

// checkOpening checks a placeholder in a call that opens a session. It must become a value to which the agent is
// entitled, or the call must be denied. The server would open an unrelated session.
func (c *call) checkOpening(was, is string, a answer) {
	w := c.a.session.w
	if !a.denied {
		c.checkMissing(was, is)
		if is == was {
			w.violation(c, "a placeholder where a session is opened", was)
		}
		return
	}
	if own := c.a.entitled(); own.must && !own.killed && !c.a.guesses(own) {
		_, why := w.last()
		w.violation(c, "denied though entitled", why)
	}
}

// checkMissing checks a call without a value. The agent's value must arrive, or none.
func (c *call) checkMissing(was, is string) {
	w := c.a.session.w
	own := c.a.entitled()
	guessed := c.a.guesses(own)
	switch {
	case is != was && (own.values[is] || c.a.session.follows(is, own.from)):
		w.counts["left out, the right value arrived"]++
	case is != was && (own.killed || c.a.session.main.killed):
		w.counts["an older value after a hook was killed"]++
	case is != was && guessed:
		w.counts["a sub-agent's first call, guessed"]++
	case is != was && c.a.coincides(is, own):
		w.counts["two equal values, either one arrived"]++
	case is != was && c.a.worksWith(is) && c.a.isNewest(is):
		w.counts["in doubt, its own value arrived"]++
	case is != was:
		w.violation(c, c.wrong(is, own), c.a.session.describe(is)+"; entitled to "+c.a.session.list(own)+" because "+own.how)
	case c.tool == newTool && !w.schemas && c.form == leftOut: // no hook can know that it takes a value
		w.counts["left out, rightly no value arrived"]++
	case own.must && !own.killed && !guessed:
		_, why := w.last()
		w.violation(c, "not injected though entitled", why)
	default:
		w.counts["left out, rightly no value arrived"]++
	}
}

// coincides reports whether the value's thread, or the agent's own, has a value with the same bytes as another
// thread. The server issues such values in the same second, and they cannot be told apart.
func (a *agent) coincides(value string, own right) bool {
	x := a.session.of[value]
	return x != nil && (x.twice || own.on != nil && own.on.twice)
}

// guesses reports whether the engine can only guess the thread. By decision 0005 a sub-agent without calls continues
// the main agent's thread. Its prompt, which no hook sees, may contain a value of another one.
func (a *agent) guesses(own right) bool {
	return a.id != "" && !a.used && a.handed != "" && !own.values[a.handed] && a.session.of[a.handed] != a.session.main.on
}

// wrong returns the class of a violation for an injected value.
func (c *call) wrong(value string, own right) string {
	switch x := c.a.session.of[value]; {
	case x == nil:
		return "another session's value"
	case c.a.ambiguous:
		return "a value although two threads are possible"
	case x != own.on:
		return "another thread's value"
	case value == c.a.got:
		return "its own late answer instead of the newest value"
	}
	return "an older value"
}

func (s *session) list(own right) string {
	var all []string
	for v := range own.values {
		all = append(all, s.describe(v))
	}
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// last returns did and why of the last journal entry.
func (w *world) last() (did, why string) {
	content, err := os.ReadFile(w.home.journal())
	if err != nil {
		return "", "no journal"
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	e, _ := journal.Parse(lines[len(lines)-1])
	return e.Did, e.Why
}

// audit counts the journal's entries of a schedule, and checks that no file contains a value.
func (w *world) audit() error {
	if _, err := journal.In(w.home.state()).Each(func(e journal.Entry) {
		w.counts[journaled+e.Did]++
		if e.Did == "error" {
			w.found = append(w.found, violation{w.seed, w.done, "the hook had an error", e.Why})
		}
	}); err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(w.home.state(), "*")) // not the vault, which is a folder
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

// longWords returns the distinct words of a text that are long enough to contain what leaks searches for. A journal
// repeats most of its words.
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

// leaks reports whether the content contains the start or the end of a value.
func (*world) leaks(content []byte, value string) bool {
	return len(value) > 40 && (bytes.Contains(content, []byte(value[:24])) || bytes.Contains(content, []byte(value[len(value)-16:])))
}

func object(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err) // the simulator's own JSON, or arguments that the hook has changed
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

// payload returns a value without its signature.
func payload(value string) string { return value[:max(0, strings.LastIndexByte(value, '.'))] }
