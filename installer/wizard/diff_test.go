package wizard

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/internal/tui"
)

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
