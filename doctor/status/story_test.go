package status

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	gocmp "github.com/google/go-cmp/cmp"

	"wsi/doctor/prose"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/tui"
)

// runs of two sessions. The calls of the first one overlap.
func runs() []journal.Entry {
	at := time.Date(2026, 11, 25, 14, 43, 5, 0, time.Local)
	run := func(verb, session, tool, did, why string) journal.Entry {
		at = at.Add(time.Second)
		return journal.Entry{Time: at, Verb: verb, Harness: "codex", Session: session, Tool: tool, Did: did, Why: why, Micros: 1}
	}
	const in, out = "inject", "capture"
	all := []journal.Entry{
		run(in, "aaaa", "start_session", "left", "the tool takes no value"), run(out, "aaaa", "start_session", "captured", ""),
		run(in, "aaaa", "get_activity", "injected", ""), run(in, "aaaa", "next_activity", "repaired", "near"),
		run(out, "aaaa", "next_activity", "captured", ""), run(out, "aaaa", "get_activity", "left", "the result shows no value"),
		run(in, "bbbb", "get_trace", "collected", ""), run(out, "bbbb", "get_trace", "shown", ""),
		run(in, "bbbb", "x", "denied", "the tool destroys or stops something, and the value is near to no stored one"), run(in, "bbbb", "y", "left", "the tool takes no value"), run(in, "bbbb", "z", "error", "disk full"),
	}
	restart := run("restart", "", "", "restarted", "exit status 1")
	restart.Server = "a-server-with-a-name-of-its-own"
	all = append(all, restart)
	all[1].Waited, all[2].Waited, all[5].Waited = 9_999, 70_400, 1_500_000
	all[6].Given, all[7].Told, all[8].Agent = 3, 1, true
	return all
}

func TestStory(t *testing.T) {
	for name, c := range map[string]struct {
		live bool
		want string
	}{
		"calls": {false, `
codex  aaaa  2026-11-25
14:43:06  [ok] start_session         taken
14:43:08  [ok] get_activity          put in (waited 70 ms); without a value: the
                                     result shows no value (waited 1500 ms)
14:43:09  [ok] next_activity         repaired: near; taken

codex  bbbb  2026-11-25
14:43:12  [ok] get_trace             3 values collected; 1 member of _meta shown
14:43:14  [!!] >x                    refused: the tool destroys or stops
                                     something, and the value is near to no
                                     stored one
14:43:15  [--] y                     without a value: the tool takes no value
14:43:16  [XX] z                     failed: disk full
14:43:17  [ok] a-server-with-a-name-of-its-own  started again: exit status 1
`},
		"as they come": {true, `
codex  aaaa  2026-11-25
14:43:06  [--] start_session         without a value: the tool takes no value
14:43:07  [ok] start_session         taken
14:43:08  [ok] get_activity          put in (waited 70 ms)
14:43:09  [ok] next_activity         repaired: near
14:43:10  [ok] next_activity         taken
14:43:11  [--] get_activity          without a value: the result shows no value
                                     (waited 1500 ms)

codex  bbbb  2026-11-25
14:43:12  [ok] get_trace             3 values collected
14:43:13  [ok] get_trace             1 member of _meta shown
14:43:14  [!!] >x                    refused: the tool destroys or stops
                                     something, and the value is near to no
                                     stored one
14:43:15  [--] y                     without a value: the tool takes no value
14:43:16  [XX] z                     failed: disk full
14:43:17  [ok] a-server-with-a-name-of-its-own  started again: exit status 1
`},
	} {
		var got strings.Builder
		s := Story{Out: &got, Style: prose.Style{Theme: tui.Plain(true), Width: 80}, Live: c.live}
		s.Style.Show = func(text string) string { return text }
		for _, e := range runs() {
			if err := s.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		sum := s.Sum()
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, "\n"+got.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		for line := range strings.Lines(got.String()) {
			if ansi.StringWidth(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: too wide: %s", name, line)
			}
		}
		if want := "Of the 7 calls shown, wsi put a value into 1, repaired 1, refused 1 and failed in 1."; !c.live && sum != want {
			t.Errorf("%q, want %q", sum, want)
		}
	}
}

// Claude Code shows what a result has in _meta after the hooks of its call have run. That run is of the same call.
func TestAThirdRunOfACall(t *testing.T) {
	var got strings.Builder
	s := Story{Out: &got, Style: prose.Style{Theme: tui.Plain(true), Show: func(text string) string { return text }, Width: 50}}
	at := time.Date(2026, 11, 25, 14, 43, 6, 0, time.Local)
	for i, e := range []journal.Entry{
		{Verb: "inject", Did: "injected", Call: "1"},
		{Verb: "inject", Did: "injected", Call: "2"},
		{Verb: "capture", Did: "captured", Call: "2"},
		{Verb: "capture", Did: "kept", Call: "1", Kept: 2, Told: 1},
		{Verb: "capture", Did: "captured", Call: "1"},
		{Verb: "capture", Did: "left", Call: "3", Why: "why", Failed: true},
	} {
		e.Time, e.Tool = at.Add(time.Duration(i)*time.Second), "next_activity"
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if sum, want := s.Sum(), "Of the 3 calls shown, wsi put a value into 2, and 1 failed."; sum != want {
		t.Errorf("%q, want %q", sum, want)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `
2026-11-25
14:43:06  [ok] next_activity  put in; 2 values
               kept, 1 member of _meta shown;
               taken
14:43:07  [ok] next_activity  put in; taken
14:43:11  [!!] next_activity  call failed, left
               alone: why
`
	if diff := gocmp.Diff(want, "\n"+got.String()); diff != "" {
		t.Error(diff)
	}
}

// The document has the same words as the log, and the help fits 80 columns.
func TestWordsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "status.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range Words {
		if row := "| " + w.Says + " | `" + w.Did + "` | "; !strings.Contains(string(text), row) {
			t.Errorf("docs/status.md has no row %s", row)
		}
		if len(w.Means) > 51 || len(w.Says) > 15 {
			t.Errorf("%+v is too long for the help", w)
		}
	}
}

// What the log prints of a run is a word, or the number of what it did, and each word selects its runs.
func TestWordsSelectTheirRuns(t *testing.T) {
	all := []journal.Entry{{Verb: harnesses.Capture, Did: "kept", Kept: 2}, {Verb: harnesses.Capture, Did: "captured", Kept: 1, Told: 1, Failed: true}, {Did: "of another version"}}
	for _, w := range Words {
		e := journal.Entry{Verb: harnesses.Inject, Did: w.Did, Why: "nothing is stored"}
		if w.of != nil && !w.of(&e) {
			e.Verb = harnesses.Capture
		}
		if w.Says == withoutValue {
			e.Why = carry.Idle[0]
		}
		all = append(all, e)
	}
	style := prose.Style{Show: func(s string) string { return s }}
	for i := range all {
		printed, found := sentence(style, &all[i]), false
		for _, word := range says(&all[i]) {
			found = found || strings.Contains(printed, word)
			if !selects([]string{word}, &all[i]) {
				t.Errorf("%s does not select %q", word, printed)
			}
		}
		n := 0
		for _, w := range Words {
			if selects([]string{w.Says}, &all[i]) {
				n++
			}
		}
		if want := max(len(says(&all[i])), 1); !found || n != want && all[i].Did != "of another version" {
			t.Errorf("%q: %v, selected by %d words", printed, says(&all[i]), n)
		}
	}
}
