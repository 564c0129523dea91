package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"wsi/doctor/rehearse"
)

// A rehearsal as a whole ends, too, and says where it stopped.
func TestRehearsalIsBounded(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBudget)
	for _, h := range w.harnessList {
		box, err := rehearse.NewSandbox(filepath.Join(t.TempDir(), h.ID), w.env())
		if err != nil {
			t.Fatal(err)
		}
		_, err = newTarget(ctx, w.options(), h, box).subject().Everything(ctx)
		if !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "a session begins, the value being in _meta and in the text") {
			t.Errorf("%s: %v", h.ID, err)
		}
	}
}

// Calls that depend only on wsi are made in this process only if the registered program is this very one. The first
// act, whose values are in the text too, always runs the registered commands.
func TestWhatIsPlayedHere(t *testing.T) {
	w := newWorld(t, "")
	for _, h := range w.harnessList {
		for this, here := range map[string]bool{wsi: true, w.bin: true, "/bin/sh": false, filepath.Join(w.home, "gone"): false} {
			box, err := rehearse.NewSandbox(t.TempDir(), w.env())
			if err != nil {
				t.Fatal(err)
			}
			o := w.options()
			o.Self = this
			s, err := newTarget(t.Context(), o, h, box).subject().Everything(t.Context())
			if err != nil || s.All().Wrong != "" || s.Text.Needed == 0 || s.Other.Needed == 0 {
				t.Fatalf("%s: %+v, %v", h.ID, s, err)
			}
			if text, other := s.Text.Outside, s.Other.Outside; text == 0 || (text == s.Text.Needed) == here || (other == 0) != here {
				t.Errorf("%s, this being %s: through the registered commands %d of %d calls with the value in the text, %d of %d elsewhere",
					h.ID, this, text, s.Text.Needed, other, s.Other.Needed)
			}
		}
	}
}
