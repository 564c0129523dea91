package console

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"wsi/doctor/report"
	"wsi/internal/phrase"
)

// f starts setup for what setup repairs, that under the cursor before all else, and only after it was examined. Its key is
// shown only if setup repairs something then.
func TestFix(t *testing.T) {
	for fix, keys := range map[string][]string{"cursor": {"home", "enter", "f"}} { // not where the cursor is
		if end := start(t, config(of(sick)()), 80, 24).settle().press(keys...).leave(); end.Fix != fix || end.Err != nil {
			t.Errorf("%q: %q, %v", keys, end.Fix, end.Err)
		}
	}
	for _, at := range []string{"cursor.hook.runnable", "opencode.harness.found"} { // Outcome.Report has no fix yet
		x := &examiner{reports: []report.Report{sick()}, stopAt: at}
		p := start(t, config(x), 80, 24).until(waitsAt(x.stopAt)).press("down", "down", "down", "down", "f")
		if p.Quit || !strings.Contains(p.Text(), "still checking; please wait") {
			t.Errorf("at %s the screen is\n%s", at, p.Text())
		}
	}
	both := sick()
	both.Groups[1] = changed(both.Groups[1], report.Finding{ID: "hook.trusted", Status: report.Fail, Text: "new", Fix: phrase.Fix{Command: "wsi setup --harness codex --trust-codex-hooks"}, Setup: report.Setup{Repairs: true, Trust: true}})
	for key, want := range map[string]string{"up": "codex", "left": "codex", "down": "cursor"} {
		if end := start(t, config(of(func() report.Report { return both })()), 80, 24).settle().press(key, "f").leave(); end.Fix != want {
			t.Errorf("after %s: %q, want %s", key, end.Fix, want)
		}
	}
	for _, r := range []func() report.Report{healthy, beyondSetup} {
		p := start(t, config(of(r)()), 80, 24).settle()
		if strings.Contains(p.Text(), "f fix") || !strings.Contains(p.press("f").Text(), "there is nothing that setup could fix") {
			t.Errorf("the screen is\n%s", p.Text())
		}
	}
	never := healthy()
	never.Own[0] = report.Finding{ID: "wsi.binary", Status: report.Fail, Text: "wsi is not set up", Fix: phrase.Fix{Command: report.SetupCommand}, Setup: report.Setup{Repairs: true}}
	if end := start(t, config(of(func() report.Report { return never })()), 80, 24).settle().press("f").leave(); end.Fix != FirstSetup {
		t.Errorf("%q", end.Fix)
	}
}

// Leaving stops what is going on, and waits until nothing of it is left.
func TestLeavingWaits(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		release := make(chan struct{})
		var stopped time.Time
		x := &examiner{reports: []report.Report{sick()}, stopAt: "cursor.hook.runnable"}
		x.wait = func(ctx context.Context) {
			<-ctx.Done()
			<-release // it cleans up
			stopped = time.Now()
		}
		p := start(t, config(x), 80, 24).until(waitsAt(x.stopAt)).press(key)
		if !strings.Contains(p.Text(), "stopping; nothing is left behind") {
			t.Errorf("%s: %s", key, p.Text())
		}
		p.press("r", "f", "enter", "q") // mean nothing any more
		close(release)
		end := p.leave()
		if stopped.IsZero() || !errors.Is(end.Err, ErrStopped) || end.Examined {
			t.Errorf("%s: %v, %v", key, stopped, end.Err)
		}
	}
}

// Who cannot wait for that gets the terminal back at least.
func TestInterruptingTwice(t *testing.T) {
	release := make(chan struct{})
	x := &examiner{reports: []report.Report{sick()}, stopAt: "cursor.hook.runnable", wait: func(context.Context) { <-release }}
	p := start(t, config(x), 80, 24).until(waitsAt(x.stopAt)).press("ctrl+c", "ctrl+c")
	for !p.Quit {
		p.One()
	}
	if !p.m.Stopping() {
		t.Errorf("%+v", p.m.run)
	}
	close(release)
}

// Ctrl-c ends a live examination that was asked for in between, and leaves only then.
func TestInterruptingALiveExamination(t *testing.T) {
	x := &examiner{reports: []report.Report{sick(), sick()}, stopAt: "cursor.hook.runnable"}
	p := start(t, config(x), 80, 24).settle().press("l")
	p.now = p.now.Add(time.Second)
	p.press("y").until(waitsAt(x.stopAt)).press("ctrl+c")
	if p.Quit || p.m.Stopping() || p.m.run.going || !strings.Contains(p.Text(), "stopped; this is the previous result") {
		t.Errorf("the screen is\n%s", p.Text())
	}
	if end := p.settle().press("ctrl+c").leave(); !end.Examined || end.Err != nil {
		t.Errorf("%+v", end)
	}
}

// A bug in a check is told, and the screen stays.
func TestAnExaminationThatPanics(t *testing.T) {
	x := &examiner{reports: []report.Report{sick()}, stopAt: "codex.hook.trusted", wait: func(context.Context) { panic("a bug") }}
	p := start(t, config(x), 80, 24).settle()
	if !strings.Contains(p.Text(), "wsi failed: a bug") {
		t.Errorf("the screen is\n%s", p.Text())
	}
	if end := p.press("q").leave(); end.Err == nil || end.Examined {
		t.Errorf("%+v", end)
	}
}
