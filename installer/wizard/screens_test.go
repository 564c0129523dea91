package wizard

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
	"wsi/templates"
)

var update = flag.Bool("update", false, "record the screens")

// journeys lead to every screen.
var journeys = []struct {
	name  string
	files map[string]string
	keys  []string
}{
	{"choose", home, nil},
	{"choose-project", home, []string{"s", "down", "down"}},
	{"choose-relay", home, []string{"w"}},
	{"choose-hooks-again", home, []string{"w", "w"}},
	{"review-ways", home, []string{"w", "down", "w", "enter", "shift+tab"}},
	{"choose-nothing", home, []string{"space", "down", "space", "down", "space", "down", "space", "enter"}},
	{"servers", home, []string{"v", "down", "space"}},
	{"servers-relay", manyHome, []string{"w", "v", "down", "down"}},
	{"help", home, []string{"?"}},
	{"review", home, []string{"enter"}},
	{"review-second-file", home, []string{"enter", "tab", "end"}},
	{"review-trust", home, []string{"enter", "t"}},
	{"review-help", home, []string{"enter", "?"}},
	{"review-refused", with(home, ".claude/settings.json", "{\n  \"hooks\": {\n"), []string{"enter"}},
	{"review-edited", editedHome, []string{"enter"}},
	{"review-nothing-to-do", home, []string{"enter", "enter", "q", "again", "enter"}},
	{"done", home, []string{"enter", "enter"}},
	{"done-trusted", home, []string{"enter", "t", "enter"}},
}

// editedHome is a home with an edited plugin of wsi.
var editedHome = with(home, ".config/opencode/plugin/wsi.js",
	string(templates.OpenCode(setup.Program{Path: "/usr/local/bin/wsi", Servers: []string{harnesses.DefaultServer}}))+"// mine\n")

// manyHome is a home with servers that no rule is for.
var manyHome = with(home, ".claude.json", `{"mcpServers":{"workflow-server":{"command":"npx","args":["-y","workflow-server"]},"memory":{"command":"npx"},"github":{"command":"gh"}}}`)

func with(files map[string]string, path, content string) map[string]string {
	all := map[string]string{path: content}
	for p, c := range files {
		if p != path {
			all[p] = c
		}
	}
	return all
}

// Every screen fills its window exactly, at any size and after any resize, and the row under the cursor is visible. With
// only ASCII, wsi's own texts are ASCII.
func TestScreens(t *testing.T) {
	for _, j := range journeys {
		for _, ascii := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ascii=%v", j.name, ascii), func(t *testing.T) {
				t.Parallel()
				c := settle(t, j.files)
				c.ASCII = ascii
				p := travel(start(t, c, 80, 24), j.keys)
				if ascii {
					terminal.ASCII(t, p.Text())
				} else {
					terminal.Compare(t, *update, filepath.Join("testdata", "screens", j.name+".txt"), p.Text())
				}
				p.EverySize(func(width, height int) {
					listed := width >= tui.LeastWidth && height >= tui.LeastHeight && p.m.step == choosing && !p.m.Helping
					if cursor := p.m.Theme.Glyph("▸", ">"); listed && !strings.Contains(p.Text(), cursor) {
						t.Errorf("the cursor is not visible at %dx%d:\n%s", width, height, p.Text())
					}
				})
			})
		}
	}
}

// In a window with fewer lines than harnesses, the row under the cursor is visible, also after the window has another size.
func TestCursorStaysVisible(t *testing.T) {
	c := settle(t, home)
	c.Options.Harnesses = registry.All()
	p := start(t, c, tui.LeastWidth, tui.LeastHeight)
	visible := func(width, height int) {
		name := p.m.choose.here().harness.Name
		if width >= tui.LeastWidth && height >= tui.LeastHeight && !regexp.MustCompile(`(?m)^.*▸.*`+name).MatchString(p.Text()) {
			t.Errorf("the cursor on %s is not visible at %dx%d:\n%s", name, width, height, p.Text())
		}
	}
	for _, key := range []string{"down", "up"} {
		for range p.m.choose.rows {
			visible(p.m.Width, p.m.Height)
			p.press(key)
		}
	}
	for range len(p.m.choose.rows) / 5 {
		p.press("down", "down", "down", "down", "down").EverySize(visible)
	}
}

// travel presses keys; "again" restarts the wizard in the same home.
func travel(p *player, keys []string) *player {
	for _, k := range keys {
		if k == "again" {
			p = start(p.T, p.m.Config, 80, 24)
			continue
		}
		p.press(k)
	}
	return p
}

func TestBackgroundsDifferInColorOnly(t *testing.T) {
	start(t, settle(t, home), 80, 24).press("enter").DiffersInColorOnly()
}

// The screen says if text does not fit.
func TestSmallWindowSaysMore(t *testing.T) {
	p := start(t, settle(t, home), 40, 10).shows(" more lines: pgdn")
	p.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if text := p.Text(); strings.Contains(text, "more line") {
		t.Errorf("all of it fits, and yet:\n%s", text)
	}
	for _, keys := range [][]string{{"pgup"}, {"enter"}} {
		p.press(keys...)
		for height := tui.LeastHeight; height < 69; height++ {
			p.Send(tea.WindowSizeMsg{Width: 40, Height: height})
			if text := p.Text(); strings.Contains(text, " 1 more lines") || strings.Contains(text, " 1 lines") {
				t.Errorf("after %v, one line is many:\n%s", keys, text)
			}
		}
	}
}

func TestDrawDiff(t *testing.T) {
	for _, c := range []struct{ name, diff, want string }{
		{"numbers", "--- a\n+++ a\n@@ -3,3 +3,4 @@\n a\n-b\n+c\n+d\n e\n@@ -20 +21 @@\n-y\n\\ No newline at end of file\n+z\n", `
    ⋯ line 3
      3  a
 -    4  b
 +    4  c
 +    5  d
      6  e
    ⋯ line 21
 -   20  y
         (no line break at the end)
 +   21  z`},
		{"CR LF", "--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", `
    ⋯ line 1, lines end with CR LF
      1  a
 -    2  b
 +    2  c`},
		{"CR LF becomes LF", "--- a\n+++ a\n@@ -1 +1 @@\n-b\r\n+b\n", `
    ⋯ line 1
 -    1  b\r
 +    1  b`},
		{"a new file", "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n", `
    ⋯ line 1
 +    1  x`},
		{"a long line", "--- a\n+++ a\n@@ -0,0 +1 @@\n+" + strings.Repeat("0123456789", 4) + "\n", `
    ⋯ line 1
 +    1  01234567890123456789
 +       01234567890123456789`},
		{"wide characters", "--- a\n+++ a\n@@ -0,0 +1 @@\n+漢字漢字漢字漢字漢字x\n", `
    ⋯ line 1
 +    1  漢字漢字漢字漢字漢字
 +       x`},
		{"nothing", "", "\n"},
	} {
		got := "\n" + strings.Join(drawDiff(c.diff, 30, tui.Plain(false)), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// No line of any diff is wider than the window or controls the terminal.
func FuzzDrawDiff(f *testing.F) {
	f.Add("--- a\n+++ a\n@@ -3,3 +3,4 @@\n a\n-b\n+c\n+d\n e\n", 80)
	f.Add("--- a\n+++ b\n@@ @@ @@\n-\x1b[2J\n+\r\n\\", 1)
	f.Fuzz(func(t *testing.T, diff string, width int) {
		width = tui.LeastWidth + max(width, 0)%300
		for _, line := range drawDiff(diff, width, tui.Plain(false)) {
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("%q is %d wide, and the window %d", line, w, width)
			}
			if strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%q", line)
			}
		}
	})
}
