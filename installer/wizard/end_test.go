package wizard

import (
	"strings"
	"testing"

	"wsi/installer"
	"wsi/installer/notes"
)

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
