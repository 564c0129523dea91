package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
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
		if !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "a session begins, with the value in _meta and in the text") {
			t.Errorf("%s: %v", h.ID, err)
		}
	}
}

// A wrong call is reported even if there was no time for all the others, as on a busy machine.
func TestRehearsalWrongWithoutTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for wsi")
	}
	for name, c := range map[string]struct {
		script string
		want   report.Status
	}{
		"a sub-agent's call is wrong": {`sed 's/"agent_id":"[^"]*",//' | "$WSI" "$@"`, report.Fail},
		"no call is wrong so far":     {`exec "$WSI" "$@"`, report.Warn},
	} {
		w := newWorld(t, c.script)
		only("codex")(w)
		ctx, cancel := context.WithCancelCause(t.Context())
		o, issued := w.options(), 0
		o.Issued = func(string) {
			if issued++; issued == 12 { // the first act is over
				cancel(errBudget)
			}
		}
		box, err := rehearse.NewSandbox(t.TempDir(), w.env())
		if err != nil {
			t.Fatal(err)
		}
		if got := tokenDelivered(newTarget(ctx, o, w.harnessList[0], box)); got.Status != c.want {
			t.Errorf("%s: %s, %s", name, got.Status, got.Text)
		}
	}
}

// Calls that depend only on wsi are made in this process only if the registered program is this very one. The first
// act, whose values are in the text too, always runs the registered commands.
func TestWhatIsPlayedHere(t *testing.T) {
	if testing.Short() {
		t.Skip("it rehearses every installation")
	}
	w := newWorld(t, "")
	w.leaveOut()
	for _, h := range w.harnessList {
		for name, c := range map[string]struct {
			this string
			here bool
		}{"itself": {wsi, true}, "a copy": {w.bin, true}, "another program": {"/bin/sh", false}} {
			t.Run(h.ID+", "+name, func(t *testing.T) {
				t.Parallel()
				box, err := rehearse.NewSandbox(t.TempDir(), w.env())
				if err != nil {
					t.Fatal(err)
				}
				o := w.options()
				o.Self = c.this
				s, err := newTarget(t.Context(), o, h, box).subject().Everything(t.Context())
				if err != nil || s.All().Wrong != "" || s.Text.Needed == 0 || s.Meta.Needed == 0 {
					t.Fatalf("%+v, %v", s, err)
				}
				if text, meta := s.Text.Outside, s.Meta.Outside; text == 0 || (text == s.Text.Needed) == c.here || (meta == 0) != c.here {
					t.Errorf("through the registered commands %d of %d calls with the value in the text, %d of %d in _meta", text, s.Text.Needed, meta, s.Meta.Needed)
				}
			})
		}
	}
}
