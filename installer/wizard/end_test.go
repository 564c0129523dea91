package wizard

import (
	"strings"
	"testing"

	"wsi/installer"
	"wsi/installer/notes"
)

// If every harness was refused, the last screen says so, and the end is not that of a user who left.
func TestAllRefused(t *testing.T) {
	files := map[string]string{".claude.json": home[".claude.json"], ".claude/settings.json": `{"hooks":`}
	c := settle(t, files)
	c.Named = []string{"claude-code"}
	p := start(t, c, 100, 40).press("enter")
	if shown := p.Text(); !strings.Contains(shown, "Claude Code stays as it is") || strings.Contains(shown, "prove that it works") {
		t.Errorf("the review is\n%s", shown)
	}
	shown := p.press("enter").Text()
	if p.m.step != done || !strings.Contains(shown, "✗ refused: 1 harness could not be changed") || strings.Contains(shown, "Undo") {
		t.Errorf("the last screen is\n%s", shown)
	}
	if end := p.press("enter").m.outcome(); !p.Quit || end.Err != nil || end.Review.Applied || !end.Review.AllRefused() {
		t.Errorf("it ends with %v, applied: %v, %v", end.Err, end.Review.Applied, end.Review.Refused)
	}
}

// The last screen shows every next step: no other command does.
func TestAllNextStepsAreShown(t *testing.T) {
	o := Outcome{Review: installer.Review{Verb: "setup", Scope: "user", Applied: true}, width: 80}
	for _, step := range strings.Fields("first second third fourth fifth sixth seventh") {
		o.Review.Left = append(o.Review.Left, notes.Note{Text: "Do the " + step + "."})
	}
	if shown := o.Record(false); !strings.Contains(shown, "7  Do the seventh.") || strings.Contains(shown, "more") {
		t.Errorf("shown is\n%s", shown)
	}
}
