package console

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/internal/tui"
)

func waitsAt(id string) func(*model) bool {
	return func(m *model) bool {
		return slices.ContainsFunc(m.board, func(s section) bool { return s.now == id })
	}
}

// What a stopped examination still says is not taken for what the next one says.
func TestLateWordsAreDropped(t *testing.T) {
	x := &examiner{reports: []report.Report{sick(), healthy()}, stopAt: "cursor.hook.runnable"}
	p := start(t, config(x), 80, 24).settle().press("r").until(waitsAt(x.stopAt))
	late := p.m.run.number
	p.press("esc")
	before := p.Text()
	f := report.Finding{ID: "claude-code.hook.trusted", Link: report.Trusted, Status: report.Fail, Text: "too late"}
	p.m.told(late, doctor.Event{Kind: doctor.Found, Harness: "claude-code", Check: f.ID, Finding: f})
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
	p.m.told(p.m.run.number-1, doctor.Event{Kind: doctor.Found, Harness: "codex", Check: "codex.hook.trusted", Finding: f})
	p.m.ended(p.m.run.number-1, sick(), nil)
	if got := p.Text(); got != before || p.m.run.before {
		t.Errorf("before\n%s\nafter\n%s", before, got)
	}
}

// Rows that come in above it do not move the cursor to another row, whatever was pressed before.
func TestTheCursorStaysOnItsRow(t *testing.T) {
	for _, height := range []int{12, 24} {
		x := &examiner{reports: []report.Report{sick()}}
		p := start(t, config(x), 80, height).until(func(m *model) bool { return m.board[1].looked })
		p.press("down", "down", "down", "down")
		at := p.m.list.cursor
		if at.id != "opencode" {
			t.Fatalf("at %+v:\n%s", at, p.Text())
		}
		for p.Running() {
			p.One()
			if p.m.list.cursor != at || !strings.Contains(p.Text(), "▸ OpenCode") {
				t.Fatalf("at %+v:\n%s", p.m.list.cursor, p.Text())
			}
		}
	}
}

// r and R, l and L: all harnesses or the one under the cursor, and live only after a yes that answers
// the question.
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
		{[]string{"home", "R", "L"}, nil}, // the cursor is on wsi itself
		{[]string{"r"}, []call{{"", false}}},
		{[]string{"down", "R"}, []call{{"claude-code", false}}},
		{[]string{"down", "down", "R"}, []call{{"codex", false}}}, // on a check of it
		{[]string{"l", "n"}, nil},
		{[]string{"l", "enter"}, nil},
		{[]string{"l", "esc"}, nil},
		{[]string{"l", "y"}, nil}, // too quick to be an answer
		{[]string{"wait", "y"}, []call{{"", true}}},
		{[]string{"L", "wait", "y"}, []call{{"codex", true}}},
		{[]string{"y"}, nil}, // without a question
		{[]string{"?", "r"}, nil},
		{[]string{"/", "r", "l", "esc"}, nil},
		{[]string{"enter", "R", "esc"}, []call{{"codex", false}}},
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
	p := start(t, config(x), 80, 24).settle().press("home", "down", "down", "R").settle()
	if text := p.Text(); strings.Contains(text, "codex.hook.trusted") || !strings.Contains(text, "cursor.hook.registered") {
		t.Errorf("the screen is\n%s", text)
	}
	end := p.press("q").leave()
	if n := end.Report.Counts(); len(end.Report.Groups) != 4 || n[report.Fail] != 1 || !end.Examined || end.Err != nil {
		t.Errorf("%d groups, %v, %+v", len(end.Report.Groups), n, end.Err)
	}
}

// The cursor begins where something is broken, unless its user has moved it.
func TestTheCursorBeginsOnWhatIsBroken(t *testing.T) {
	for want, r := range map[string]func() report.Report{"codex.hook.trusted": sick, "wsi": healthy} {
		if at := start(t, config(of(r)()), 80, 24).settle().m.list.cursor.id; at != want {
			t.Errorf("at %s, want %s", at, want)
		}
	}
	x := &examiner{reports: []report.Report{sick()}}
	p := start(t, config(x), 80, 24).until(func(m *model) bool { return m.board[1].looked }).press("down")
	if at := p.settle().m.list.cursor.id; at != "claude-code" {
		t.Errorf("moved to %s", at)
	}
}

// Who comes back from setup is where they left.
func TestWhereTheCursorIsAtFirst(t *testing.T) {
	c := config(of(healthy)())
	c.At = "cursor"
	if p := start(t, c, 80, 24).settle(); !strings.Contains(p.Text(), "▸ Cursor") {
		t.Errorf("the screen is\n%s", p.Text())
	}
}

// What is not found again is gone, and where the cursor was on it, it is on the heading.
func TestAFixedRowGoes(t *testing.T) {
	x := &examiner{reports: []report.Report{sick(), healthy()}}
	p := start(t, config(x), 80, 24).settle()
	if at := p.m.list.cursor.id; at != "codex.hook.trusted" {
		t.Fatal(at)
	}
	p.press("r").settle()
	if at := p.m.list.cursor.id; at != "codex" || strings.Contains(p.Text(), "codex.hook.trusted") {
		t.Errorf("at %s:\n%s", at, p.Text())
	}
}

// The clipboard gets the report as it can be shown to others, and only a whole one.
func TestCopy(t *testing.T) {
	x := &examiner{reports: []report.Report{sick()}, stopAt: "codex.hook.trusted"}
	p := start(t, config(x), 80, 24).until(waitsAt(x.stopAt))
	p.m.copyReport()
	if _, cmd := p.m.Update(nil); cmd != nil {
		t.Error("half a report was copied")
	}
	p = start(t, config(of(sick)()), 80, 24).settle()
	p.m.copyReport()
	_, cmd := p.m.Update(nil)
	if cmd == nil {
		t.Fatal("nothing was copied")
	}
	if got, want := cmd(), tea.SetClipboard("the report")(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Where nothing is on the screen no key means anything, but leaving.
func TestKeysInATinyWindow(t *testing.T) {
	p := start(t, config(of(sick)()), 30, 8).settle().press("down", "down", "down", "down", "f", "l", "r")
	if p.Quit || p.m.confirm.asked || p.m.run.number != 1 {
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

// What comes from files cannot move the terminal: a filter is typed and pasted without escapes.
func TestAFilterIsText(t *testing.T) {
	p := start(t, config(of(sick)()), 80, 24).settle().press("/")
	p.Send(tea.PasteMsg{Content: "tru\x1b[2J\nst"})
	if p.m.list.filter != "tru[2Jst" {
		t.Errorf("%q", p.m.list.filter)
	}
}

// The page with hooks is read again each time, and leads back to where it was opened.
func TestHooksPage(t *testing.T) {
	read := 0
	c := config(of(sick)())
	c.Hooks = func() hooklist.List { read++; return hookSample() }
	p := start(t, c, 80, 24).settle().press("home", "down", "down")
	at := p.m.list.cursor
	shows := func(want, not string) {
		t.Helper()
		if text := p.Text(); !strings.Contains(text, want) || strings.Contains(text, not) {
			t.Errorf("%q and not %q is wanted:\n%s", want, not, text)
		}
	}
	p.press("h")
	shows("reading the files", "guard.sh")
	p.settle()
	shows("guard.sh", "rtk hook")
	p.press("a")
	shows("rtk hook", `"command"`)
	p.press("v", "end")
	shows(`"command"`, "rtk hook claude")
	p.press("a", "down", "up", "f", "r", "l", "y") // of these only the first means something here
	shows("Codex  0 of 1 hook", "rtk hook")
	p.press("q").settle()
	shows("▸ Codex", "guard.sh")
	p.press("h").settle().press("h")
	if p.Quit || read != 2 || p.m.list.cursor != at || p.m.run.number != 1 {
		t.Errorf("read %d times, at %+v:\n%s", read, p.m.list.cursor, p.Text())
	}
}

// A harness that only has settings on this machine is named, and no link is well where wsi is not registered.
func TestConfiguredAndNotThere(t *testing.T) {
	r := healthy()
	r.Groups[1].Wired = false
	r.Groups[1] = changed(r.Groups[1], report.Finding{ID: "harness.found", Status: report.Info, Text: "Codex is not on the PATH, but it is configured in ~/.codex"})
	text := start(t, config(of(func() report.Report { return r })()), 80, 24).settle().Text()
	if !strings.Contains(text, "· codex.harness.found  Codex is not on the PATH") || !strings.Contains(text, "– registered → – trusted") {
		t.Errorf("the screen is\n%s", text)
	}
}

// A harness in which wsi has nothing to do says so below its links.
func TestNoServerWithARule(t *testing.T) {
	r := healthy()
	r.Groups[1].Wired = false
	r.Groups[1] = changed(r.Groups[1], report.Finding{ID: "hook.registered", Link: report.Registered, Status: report.Skip, Text: "nothing to do", Idle: true})
	text := start(t, config(&examiner{reports: []report.Report{r}}), 80, 24).settle().Text()
	if !strings.Contains(text, "– codex.hook.registered  nothing to do") {
		t.Error(text)
	}
}

// The help has the key for a repair only where setup repairs something.
func TestHelpWithoutRepair(t *testing.T) {
	for i, r := range []func() report.Report{sick, healthy} {
		p := start(t, config(of(r)()), 80, 30).settle().press("?")
		if offered := strings.Contains(p.Text(), "setup shows what it would fix"); offered != (i == 0) {
			t.Errorf("%d: %s", i, p.Text())
		}
		p.press("q", "q").leave()
	}
}
