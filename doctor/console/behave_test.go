package console

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
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
		"configured and not there":                     {report: missing, keys: []string{"down"}, says: "▸ Codex         –            –         –"},
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
