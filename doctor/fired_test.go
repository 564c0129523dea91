package doctor

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/rules"
)

// What the journal says of runs that carried nothing, and when that is nothing to look at. The world's journal has one
// run of each hook.
func TestFiredAndCarriedNothing(t *testing.T) {
	t.Parallel()
	type runs struct {
		did, why string
		n        int
	}
	const none = "the tool takes no value"
	for _, c := range []struct {
		name string
		runs []runs
		want string
	}{
		{"a few", []runs{{"left", "nothing is stored", 2}}, "ok: fired"},
		{"the first call of a session", []runs{{"left", none, 1}}, "ok: fired"},
		{"calls that take none", []runs{{"left", none, 9}}, "ok: fired"},
		{"none but those", []runs{{"left", none, 10}}, "warn: the hook ran before 11 calls and put no value into any; the most frequent reason (10 times): the tool takes no value"},
		{"several reasons", []runs{{"left", "a", 2}, {"left", "b", 3}, {"left", none, 9}}, "warn: the hook ran before 15 calls and put no value into any; the most frequent reason (3 times): b"},
		{"one was carried", []runs{{"left", "a", 20}, {"injected", "", 1}}, "ok: fired"},
		{"one was repaired", []runs{{"left", "a", 20}, {"repaired", "", 1}}, "ok: fired"},
		{"the model typed it", []runs{{"left", "session_token is already there", 20}}, "warn: the hook ran before 21 calls and put no value into any; the most frequent reason (20 times): session_token is already there"},
		{"what would move a terminal", []runs{{"left", "\x1b[2J", 3}}, "warn: the hook ran before 4 calls and put no value into any; the most frequent reason (3 times): ?[2J"},
		{"what a person sees", []runs{{"left", "a", 3}, {"captured", "", 3}}, "warn: the hook ran before 7 calls and put no value into any; the most frequent reason (3 times): a"},
	} {
		w := newWorld(t, "")
		only("codex")(w)
		for _, r := range c.runs {
			for range r.n {
				w.journal(journal.Entry{Time: now, Verb: harnesses.Inject, Harness: "codex", Did: r.did, Why: r.why})
			}
		}
		w.only = []string{"hook.fired"}
		if got := about(w.examine(), "codex", "hook.fired")["hook.fired"]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A hook after a call runs also if it only keeps a value for a tool that takes all of them.
func TestFiredAndOnlyKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	only("codex")(w)
	w.write(".local/state/wsi/journal.jsonl", "")
	for range 3 {
		w.journal(journal.Entry{Time: now, Verb: harnesses.Inject, Harness: "codex", Did: string(carry.Gathered)})
		w.journal(journal.Entry{Time: now, Verb: harnesses.Capture, Harness: "codex", Did: string(carry.Kept)})
	}
	w.only = []string{"hook.fired"}
	if got := about(w.examine(), "codex", "hook.fired")["hook.fired"]; !strings.HasPrefix(got, "ok: fired") || !strings.HasSuffix(got, "3 before a call, 3 after") {
		t.Error(got)
	}
}

// The reason that is common and no fault is known by the engine's own words.
func TestTakesNoneIsWhatTheEngineSays(t *testing.T) {
	rule := rules.ForToken(harnesses.DefaultServer)
	if d := carry.Before(&rule, &carry.State{}, carry.Call{Tool: "health_check", Args: []byte(`{}`)}); d.Why != carry.TakesNone {
		t.Errorf("of such a call it says %q", d.Why)
	}
}

// Runs that could not begin are known by the hook's own words.
func TestUnbegunIsWhatTheHookSays(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		opt   hook.Options
	}{
		"no event":          {"", hook.Options{Verb: harnesses.Inject}},
		"half an event":     {"{", hook.Options{Verb: harnesses.Inject}},
		"no tool":           {"{}", hook.Options{Verb: harnesses.Inject}},
		"a damaged command": {"{}", hook.Options{Verb: "unknown", Damaged: `unknown command "injekt"`}},
	} {
		dir := t.TempDir()
		c.opt.Harness = "codex"
		hook.Run(hook.Env{
			Stdin: strings.NewReader(c.event), Stdout: io.Discard, Home: dir, GOOS: runtime.GOOS,
			Getenv: func(name string) string { return map[string]string{"WSI_STATE_DIR": dir}[name] },
		}, c.opt)
		entries, err := journal.In(dir).Entries()
		if err != nil || len(entries) != 1 || !unbegun(entries[0]) {
			t.Errorf("%s: %v %+v", name, err, entries)
		}
	}
}

// The hook that notes callers ran before, and runs no more: the relay is still in front of the server, and learns no caller.
func TestFiredBeforeAndNoMore(t *testing.T) {
	t.Parallel()
	noted := func(at time.Time) []journal.Entry {
		return []journal.Entry{
			{Time: at, Verb: harnesses.Inject, Harness: "claude-code", Did: string(carry.Noted)},
			{Time: at, Verb: harnesses.Inject, Who: "relay", Harness: "claude-code", Did: string(carry.Injected)},
		}
	}
	alone := func(at time.Time) []journal.Entry { return noted(at)[1:] }
	for _, c := range []struct {
		name string
		runs [][]journal.Entry
		want string
	}{
		{"as it should be", [][]journal.Entry{noted(now.Add(-time.Hour)), noted(now), noted(now)}, "ok: fired"},
		{"no hook since", [][]journal.Entry{noted(now.Add(-time.Hour)), alone(now), alone(now), alone(now)}, "warn: the hook last noted a call 1 h ago; since then 3 calls came through wsi relay"},
		{"calls at once", [][]journal.Entry{noted(now), alone(now), alone(now), alone(now)}, "ok: fired"},
		{"a hook again", [][]journal.Entry{noted(now.Add(-time.Hour)), alone(now), alone(now), alone(now), noted(now)}, "ok: fired"},
	} {
		w := newWorld(t, "")
		only("claude-code")(w)
		w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.state())
		for _, e := range slices.Concat(c.runs...) {
			w.journal(e)
		}
		w.only = []string{"hook.fired"}
		if got := about(w.examine(), "claude-code", "hook.fired")["hook.fired"]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
