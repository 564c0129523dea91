package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// wired is wsi's folder with a journal, and a report of one harness that is wired.
func wired(t *testing.T, entries ...journal.Entry) (dir string, r report.Report) {
	t.Helper()
	dir = t.TempDir()
	for _, e := range entries {
		if err := journal.In(dir).Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return dir, report.Report{Version: "0.1.0", Groups: []report.Group{{
		ID: "codex", Name: "Codex", Found: true, Wired: true,
		Registration: registration(report.Wiring{By: setup.ByHooks, Servers: []string{"workflow-server"}, Files: []string{"/home/ada/.codex/hooks.json"}}),
		Findings:     []report.Finding{{ID: "codex.hook.registered", Link: report.Registered, Status: report.OK}},
	}}}
}

func registration(all ...report.Wiring) report.Registration {
	return report.Registration{By: all[0].By, Scope: all[0].Scope, Files: all[0].Files, Each: all}
}

// read returns the status, and its text.
func read(t *testing.T, dir string, r report.Report) (Status, string) {
	t.Helper()
	s, err := Read(dir, r)
	var text strings.Builder
	if err := errors.Join(err, s.Text(&text, style())); err != nil {
		t.Fatal(err)
	}
	return s, text.String()
}

// work is a journal of some minutes.
func work() (all []journal.Entry) {
	add := func(verb, did, why string, us, wait int64) {
		all = append(all, journal.Entry{
			Time: now.Add(time.Duration(len(all)-200) * time.Minute), Verb: verb, Harness: "codex", Session: "ab12cd34",
			Server: "workflow-server", Tool: "get_activity", Did: did, Why: why, Micros: us, Waited: wait,
		})
	}
	for i := range 100 {
		add("inject", "injected", "", int64(1000+10*i), 0)
	}
	for range 40 {
		add("capture", "captured", "", 2000, 500)
	}
	for i := range 10 {
		add("inject", "left", []string{"nothing is stored", "session_token is already there"}[i/7], 900, 0)
	}
	add("capture", "error", "lock vault: no space left on device", 90_000, 0)
	return all
}

func style() prose.Style {
	return prose.Style{Theme: tui.Plain(false), Now: now, Show: func(s string) string { return strings.ReplaceAll(s, "/home/ada", "~") }}
}

func TestText(t *testing.T) {
	dir, r := wired(t, work()...)
	session := filepath.Join(dir, "vault", "ab", "x.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(session), 0o700), os.WriteFile(session, []byte("{}"), 0o600), os.Chtimes(session, now, now.Add(-2*time.Minute))); err != nil {
		t.Fatal(err)
	}
	r.Own = []report.Finding{{ID: "wsi.state", Status: report.Warn, Text: "other users may read /home/ada/x", Fix: phrase.Fix{Command: "chmod 700 /home/ada/x"}}}
	r.Groups[0].Findings = append(r.Groups[0].Findings, report.Finding{
		ID: "codex.hook.trusted", Link: report.Trusted, Status: report.Fail, Text: "2 of 2 hooks are new: Codex skips them silently",
		Fix: phrase.Fix{Text: `open codex, type /hooks, choose "Trust all", and start the sessions again`},
	})
	project := report.Group{ID: "x", Name: "Another one", Found: true, Wired: true, Registration: registration(
		report.Wiring{By: setup.ByRelay, Scope: setup.Project, Servers: []string{"a", "b", "c"}, Files: []string{"/p/x.json", "/p/y.json"}},
		report.Wiring{By: setup.ByHooks, Servers: []string{"d"}, Files: []string{"/home/ada/x.json"}},
	)}
	unserved := report.Group{ID: "y", Name: "Y", Found: true, Findings: []report.Finding{{Status: report.Skip, Text: "nothing to do", Idle: true}}}
	r.Groups = append(r.Groups, project, unserved, report.Group{ID: "z", Name: "Z", Found: true}, report.Group{ID: "claude-code", Name: "Claude Code"})
	s, got := read(t, dir, r)
	want := `✗ Codex: 2 of 2 hooks are new: Codex skips them silently. Also 1 warning.
  to do: open codex, type /hooks, choose "Trust all", and start the sessions
         again
! other users may read ~/x
  fix: chmod 700 ~/x

Codex         ✗ hooks for workflow-server
              ~/.codex/hooks.json
              last run 50 min ago · 100 put in · 40 taken · 10 left alone ·
              1 failed
                7 left alone: nothing is stored
                3 left alone: session_token is already there
              inject took 1.4 ms (median), 2.0 ms (99th percentile)
              capture took 1.5 ms (median), 90.0 ms (99th percentile), and
              waited up to 0.5 ms

Another one   ✓ relay for a, b and c in this project
              /p/x.json
              /p/y.json
              hooks for d
              ~/x.json

Z             – not registered

Nothing to do in Y: no server there has a rule.
1 session stored, the newest 2 min ago · 151 runs in the last 3 h
Type wsi doctor for details.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, width := range []int{40, 60, 80} { // on a terminal each line but a command and a path fits
		look, b := style(), strings.Builder{}
		look.Width = width
		if err := s.Text(&b, look); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > width && !strings.Contains(line, "hooks.json") {
				t.Errorf("%d > %d: %s", n, width, line)
			}
		}
	}
	var out strings.Builder
	if err := report.Encode(&out, s); err != nil || !strings.Contains(out.String(), `"p99_us": 90000`) {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// A run that had nothing to do is not called one that left a call alone, nor a caller's name a value to be found. A session that the
// server gave up is said, for the model goes on with an empty one.
func TestWordsOfAJoin(t *testing.T) {
	var entries []journal.Entry
	for _, e := range []journal.Entry{
		{Verb: "inject", Did: "noted", Why: "for the relay"},
		{Verb: "capture", Did: "noted", Why: "the result shows no value"},
		{Verb: "capture", Did: "left", Why: "the result shows no value"},
		{Verb: "capture", Did: "left", Why: "the tool hands out no value"},
		{Verb: "inject", Did: "left", Why: "nothing is stored"},
		{Verb: "inject", Did: "left", Why: "one"},
		{Verb: "inject", Did: "left", Why: "three"},
		{Verb: "inject", Did: "left", Why: "two"},
		{Verb: "capture", Did: "captured", Why: carry.SessionLost},
		{Verb: "capture", Did: "captured", Why: carry.SessionLost},
	} {
		e.Time, e.Harness = now, "codex"
		entries = append(entries, e)
	}
	dir, r := wired(t, entries...)
	s, got := read(t, dir, r)
	want := " · 2 taken · 1 awaited · 1 caller named · 4 left alone · 2 without a value 1 left alone: nothing is stored 1 left alone: one 1 left alone: three and 1 other reason the server refused the old value and began a new session 2 times inject"
	if text := strings.Join(strings.Fields(got), " "); !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) || s.Harnesses[0].Lost != 2 {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

func TestPercentile(t *testing.T) {
	var hundred []int64
	for i := range int64(100) {
		hundred = append(hundred, 100-i)
	}
	for _, c := range []struct {
		values   []int64
		p50, p99 int64
	}{{[]int64{7}, 7, 7}, {[]int64{2, 1}, 1, 2}, {[]int64{3, 1, 2}, 2, 3}, {hundred, 50, 99}} {
		if a, b := percentile(c.values, 50), percentile(c.values, 99); a != c.p50 || b != c.p99 {
			t.Errorf("%v: %d and %d", c.values, a, b)
		}
	}
}

// What anybody can have written into the journal moves no terminal, and hides nothing else.
func TestOddEntries(t *testing.T) {
	dir, r := wired(t, work()[:1]...)
	f, err := os.OpenFile(journal.In(dir).Path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "%s\n%s\nnonsense\n\x00\n", `{"t":"0001-01-01T00:00:00Z","verb":"inject","harness":"codex","did":"injected"}`,
		`{"t":"2026-11-21T08:41:00Z","newer":{"x":[1]},"agent":"maybe","verb":"in\u001b[2J","harness":"codex","did":"\u001b]0;x\u0007","tool":"\u202e","us":1}`)
	_ = f.Close()
	_, text := read(t, dir, r)
	var got strings.Builder
	story := &Story{Out: &got, Style: style()}
	if err := Follow(done(t), journal.In(dir), story.Add, story.Flush); err != nil {
		t.Fatal(err)
	}
	if text += got.String(); strings.ContainsAny(text, "\x1b\x07\u202e\x00") || !strings.Contains(strings.ReplaceAll(text, "\n", " "), "3 lines of the journal cannot be read") || !strings.Contains(text, "1 put in") {
		t.Errorf("%q", text)
	}
}

func done(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A journal is followed over its rotation, and when it is deleted; nothing is told twice.
func TestFollow(t *testing.T) { synctest.Test(t, testFollow) }

func testFollow(t *testing.T) {
	dir := t.TempDir()
	j := journal.In(dir)
	tool := func(n int) journal.Entry {
		return journal.Entry{Time: now, Verb: "inject", Harness: "codex", Tool: fmt.Sprintf("t%d", n), Did: "injected"}
	}
	note := func(n int) {
		t.Helper()
		if err := j.Append(tool(n)); err != nil {
			t.Fatal(err)
		}
	}
	note(0)
	note(1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	heard := make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- Follow(ctx, j, func(e journal.Entry) error { heard <- e.Tool; return nil }, func() error { return nil })
	}()
	hear := func(want string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != want {
				t.Fatalf("heard of %s, want %s", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("never heard of %s", want)
		}
	}
	hear("t0")
	hear("t1")
	note(2)
	hear("t2")
	note(3)
	if err := os.Rename(j.Path, j.Older()); err != nil {
		t.Fatal(err)
	}
	note(4)
	hear("t3")
	hear("t4")
	if err := os.Remove(j.Path); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * glance)
	note(6)
	hear("t6")
	cancel()
	if err := <-ended; err != nil || len(heard) > 0 {
		t.Errorf("%v, and %d more", err, len(heard))
	}
}
