package tui

import (
	"bytes"
	"strings"
	"testing"

	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// Each line ends its own style: Lip Gloss ends one that is open at the end of a line by a sequence that is not wsi's
// own, which the terminal would show as text.
func TestWrapStylesEachLine(t *testing.T) {
	theme, off := New(true, false), Own("")
	text := theme.Strong.Render("Claude Code") + "  " + theme.In(Attention, "! chmod u+w /home/user/.claude/a-long-name-that-fits-nowhere.json && wsi setup") + " end"
	plain := strings.ReplaceAll(strings.NewReplacer(off, "", Own(string(theme.Strong)), "", Own(string(theme.state[Attention])), "").Replace(text), " ", "")
	for width := range 120 {
		var all string
		for _, line := range Wrap(text, width) {
			own := strings.Count(line, strings.TrimSuffix(off, "m"))
			if ends := strings.Count(line, off); own != 2*ends {
				t.Fatalf("width %d: %q starts %d styles and ends %d", width, line, own-ends, ends)
			}
			all += Screen(line)
		}
		if strings.Contains(all, `\u001b`) {
			t.Fatalf("width %d: %q", width, all)
		}
		for _, c := range plain {
			if !strings.ContainsRune(all, c) {
				t.Fatalf("width %d: %q has lost %q", width, all, c)
			}
		}
	}
}

// A command after a sentence is on a line of its own, whole. Words are wrapped, whatever they are.
func TestFixKeepsCommandsWhole(t *testing.T) {
	const line = "wsi remove --harness claude-code --scope project"
	for fix, want := range map[phrase.Fix]string{
		{Text: "to keep only one", Command: line}:        "- to keep only one:\n  " + line,
		{Text: "it is there, too: wsi cannot log in."}:   "- it is there, too: wsi\n  cannot log in.",
		{Text: "to keep only one: wsi remove --scope x"}: "- to keep only one: wsi\n  remove --scope x",
		{Command: line}: "- " + line,
	} {
		if got := strings.Join(Fix("- ", fix, 22), "\n"); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", fix, got, want)
		}
	}
}

// Only wsi's own sequences pass.
func TestScreen(t *testing.T) {
	got := Screen(Own("1;38;2;1;2;3") + "bold\x1b[31m" + Own("") + "\x1b[" + mark())
	if want := "\x1b[1;38;2;1;2;3mbold\\u001b[31m\x1b[m\\u001b[" + mark(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var out bytes.Buffer
	if n, err := (Writer{&out}).Write([]byte(Own("2") + "\x1bc")); n != len(Own("2"))+2 || err != nil || out.String() != "\x1b[2m\\u001bc" {
		t.Errorf("%d %v %q", n, err, out.String())
	}
}

func TestTextFromOutsideHasNoSequence(t *testing.T) {
	if got, want := printable.Text(Own("1")+"ours, from outside"), strings.ReplaceAll(Own("1"), "\x1b", `\u001b`)+"ours, from outside"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzScreen(f *testing.F) {
	f.Add("a\r\nb\r\x1b[1m\u202e\x9b")
	f.Add("\xc2\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, csi+mark()) && Screen(s) != printable.Text(s) {
			t.Errorf("%q is on a screen %q", s, Screen(s))
		}
	})
}
