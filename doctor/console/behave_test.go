package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

func waitsAt(id string) func(*model) bool {
	return func(m *model) bool {
		harness, _, _ := strings.Cut(id, ".")
		return id != "" && m.run.now[harness] == id
	}
}

// What a stopped examination still says is not taken for what the next one says.
func TestLateWordsAreDropped(t *testing.T) {
	x := &examiner{reports: []report.Report{sick(), healthy()}, stopAt: "cursor.hook.runnable"}
	p := start(t, config(x), 80, 24).settle().press("r").until(waitsAt(x.stopAt))
	late := p.m.run.number
	p.press("esc")
	before := p.Text()
	if !strings.Contains(before, "Codex: 2 of 2 hooks are new") { // the stopped one had found that Codex is well
		t.Errorf("this is not the previous result:\n%s", before)
	}
	f := report.Finding{ID: "claude-code.hook.trusted", Link: report.Trusted, Status: report.Fail, Text: "too late"}
	p.m.saw(late, doctor.Event{Kind: doctor.Found, Harness: "claude-code", Check: f.ID, Finding: f})
	p.m.ended(late, healthy(), nil)
	if got := p.settle().Text(); got != before {
		t.Errorf("before\n%s\nafter\n%s", before, got)
	}
	if end := p.press("q").leave(); !slices.Equal(end.Report.Fixable(), []string{"cursor"}) {
		t.Errorf("%+v", end.Report)
	}

	// Nor while the next one goes on.
	x.stopAt = "codex.hook.trusted"
	p = start(t, config(x), 80, 24).until(waitsAt(x.stopAt))
	p.m.run.number++
	before = p.Text()
	p.m.saw(p.m.run.number-1, doctor.Event{Kind: doctor.Found, Harness: "codex", Check: "codex.hook.trusted", Finding: f})
	p.m.ended(p.m.run.number-1, sick(), nil)
	if got := p.Text(); got != before || p.m.examined {
		t.Errorf("before\n%s\nafter\n%s", before, got)
	}
}

func TestTheCursorStaysOnItsRow(t *testing.T) {
	x := &examiner{reports: []report.Report{sick()}}
	p := start(t, config(x), 80, 24).until(func(m *model) bool { return m.run.now["claude-code"] != "" })
	p.press("down", "down", "up")
	for p.Running() {
		p.One()
		if p.m.cursor != "codex" || !strings.Contains(p.Text(), "▸ Codex") {
			t.Fatalf("at %s:\n%s", p.m.cursor, p.Text())
		}
	}
}

// r and l are for all harnesses or, in the page of one, for that; and live only after a yes that answers the question.
func TestWhatIsExaminedAgain(t *testing.T) {
	type call struct {
		ids  string
		live bool
	}
	var mu sync.Mutex
	var calls []call
	x := of(sick)()
	x.asked = func(ids []string, live bool) {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, call{strings.Join(ids, ","), live})
	}
	asked := func() (c []call) {
		mu.Lock()
		defer mu.Unlock()
		c, calls = calls, nil
		return c
	}
	p := start(t, config(x), 80, 24).settle()
	asked()
	for _, c := range []struct {
		keys []string
		want []call
	}{
		{[]string{"r"}, []call{{"", false}}},
		{[]string{"home", "enter", "r", "esc"}, []call{{"claude-code", false}}},
		{[]string{"down", "enter", "r", "esc"}, []call{{"codex", false}}},
		{[]string{"l", "n"}, nil},
		{[]string{"l", "enter"}, nil},
		{[]string{"l", "esc"}, nil},
		{[]string{"l", "y"}, nil}, // too quick to be an answer
		{[]string{"wait", "y"}, []call{{"", true}}},
		{[]string{"enter", "l", "wait", "y", "esc"}, []call{{"codex", true}}},
		{[]string{"y"}, nil}, // without a question
		{[]string{"?", "r"}, nil},
		{[]string{"h", "r", "l", "esc"}, nil},
	} {
		for _, k := range c.keys {
			if k == "wait" {
				p.now = p.now.Add(readingTime)
				continue
			}
			p.press(k).settle()
		}
		if got := asked(); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v was examined, want %v\n%s", c.keys, got, c.want, p.Text())
		}
	}
}

// What one harness's examination finds takes the place of what was known of it, and nothing else does.
func TestAPartialExaminationIsMerged(t *testing.T) {
	x := &examiner{reports: []report.Report{sick(), healthy()}}
	p := start(t, config(x), 80, 24).settle().press("home", "down", "enter", "r").settle().press("esc")
	if text := p.Text(); strings.Contains(text, "2 of 2 hooks are new") || !strings.Contains(text, "Cursor: of 2 hooks only") {
		t.Errorf("the screen is\n%s", text)
	}
	end := p.press("q").leave()
	if n := end.Report.Counts(); len(end.Report.Groups) != 4 || n[report.Fail] != 1 || !end.Examined || end.Err != nil {
		t.Errorf("%d groups, %v, %+v", len(end.Report.Groups), n, end.Err)
	}
}

// Where nothing is on the screen no key means anything, but leaving.
func TestKeysInATinyWindow(t *testing.T) {
	p := start(t, config(of(sick)()), 30, 8).settle().press("down", "down", "down", "down", "f", "l", "r")
	if p.Quit || p.m.question.asked || p.m.run.number != 1 {
		t.Errorf("%+v", p.m.run)
	}
	p.press("q").leave()
}

// The longest sentence leaves room for what it is about.
func TestALongSentenceInASmallWindow(t *testing.T) {
	long := errors.New(strings.Repeat("mkdir /a/long/way/down: no space left on device ", 20))
	p := start(t, config(&examiner{err: long}), tui.LeastWidth, tui.LeastHeight).settle()
	if text := p.press("down").Text(); !strings.Contains(text, "no space left") || !strings.Contains(text, "▸ ") {
		t.Errorf("the screen is\n%s", text)
	}
}

func TestHooksPage(t *testing.T) {
	read := 0
	c := config(of(sick)())
	c.Hooks = func() hooklist.List { read++; return hookSample() }
	p := start(t, c, 80, 24).settle().press("h")
	if text := p.Text(); !strings.Contains(text, "reading the files") {
		t.Error(text)
	}
	if text := p.settle().Text(); !strings.Contains(text, "rtk hook") {
		t.Error(text)
	}
	if text := p.press("f", "r", "l", "end").Text(); !strings.Contains(text, "guard.sh") { // only the last one means something here
		t.Error(text)
	}
	if text := p.press("q").settle().Text(); !strings.Contains(text, "▸ Codex") {
		t.Error(text)
	}
	if p.press("h").settle().press("q"); p.Quit || read != 2 || p.m.run.number != 1 {
		t.Errorf("read %d times:\n%s", read, p.Text())
	}
}

func TestWhatScreensSay(t *testing.T) {
	missing, idle := healthy(), healthy()
	g := &missing.Groups[1]
	g.Wired, g.Used = false, nil
	*g = changed(*g, report.Finding{ID: "harness.found", Status: report.Info, Text: "Codex is not on the PATH, but it is configured in ~/.codex"})
	idle.Groups[1].Wired = false
	idle.Groups[1] = changed(idle.Groups[1], report.Finding{ID: "hook.registered", Status: report.Skip, Text: "nothing to do", Idle: true})
	const repair = "setup shows what it would change"
	for name, c := range map[string]struct {
		report    report.Report
		at        string
		keys      []string
		says, not string
	}{
		"the cursor begins on what is broken":          {report: sick(), says: "▸ Codex"},
		"the cursor begins on the first":               {report: healthy(), says: "▸ Claude Code"},
		"who comes back from setup is where they left": {report: healthy(), at: "cursor", says: "▸ Cursor"},
		"configured and not there":                     {report: missing, keys: []string{"down"}, says: "▸ Codex        –           –        –"},
		"why it is not there":                          {report: missing, keys: []string{"down", "enter"}, says: "– Codex is not on the PATH"},
		"no server with a rule":                        {report: idle, says: "Claude Code", not: "Codex"},
		"the help where setup repairs something":       {report: sick(), keys: []string{"?"}, says: repair},
		"the help where it repairs nothing":            {report: healthy(), keys: []string{"?"}, says: "leave", not: repair},
	} {
		config := config(&examiner{reports: []report.Report{c.report}})
		config.At = c.at
		p := start(t, config, 80, 30).settle().press(c.keys...)
		if text := p.Text(); !strings.Contains(text, c.says) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// f starts setup for what setup repairs, that under the cursor before all else, and only after it was examined. Its key is
// shown only if setup repairs something then.
func TestFix(t *testing.T) {
	p := start(t, config(of(sick)()), 80, 24).settle().press("home", "enter", "f")
	if end := p.leave(); end.Fix != "cursor" || end.Err != nil { // not where the cursor is
		t.Errorf("%q, %v", end.Fix, end.Err)
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
