package tui

import (
	"strings"
	"testing"

	"wsi/internal/phrase"
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
