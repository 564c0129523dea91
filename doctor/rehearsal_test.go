package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// A rehearsal as a whole ends, too, and says where it stopped.
func TestRehearsalIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBudget)
	for _, h := range w.harnessList {
		box, err := rehearse.NewSandbox(filepath.Join(t.TempDir(), h.ID), w.env())
		w.must(err)
		_, err = newTarget(ctx, w.options(), h, box).subject().Everything(ctx)
		if !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "a session begins, with the value in _meta and in the text") {
			t.Errorf("%s: %v", h.ID, err)
		}
	}
}

// A wrong call is reported even if there was no time for all the others, as on a busy machine.
func TestRehearsalWrongWithoutTime(t *testing.T) {
	t.Parallel()
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
		w := newWorld(t, c.script, "codex")
		ctx, cancel := context.WithCancelCause(t.Context())
		o, issued := w.options(), 0
		o.Issued = func(string) {
			if issued++; issued == 12 { // the first act is over
				cancel(errBudget)
			}
		}
		box, err := rehearse.NewSandbox(t.TempDir(), w.env())
		w.must(err)
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

// front has setup put wsi relay in front of the server of one harness.
func (w *world) front(id string) {
	w.t.Helper()
	w.harnessList = []setup.Harness{w.rewire(id, setup.ByRelay, harnesses.DefaultServer, w.state())}
}

// rewire wires one harness another way.
func (w *world) rewire(id string, way setup.Mode, server, state string) setup.Harness {
	w.t.Helper()
	return w.rewireAs(id, way, setup.Program{Servers: []string{server}}, state)
}

// rewireAs wires servers that may have another's rules.
func (w *world) rewireAs(id string, way setup.Mode, program setup.Program, state string) setup.Harness {
	w.t.Helper()
	h, ok := registry.Get(id)
	if !ok {
		w.t.Fatal(id)
	}
	w.wire([]setup.Harness{h}, way, program, state)
	return h
}

// A relay is rehearsed as it is registered, and all values arrive. The live proof is of what is registered, too: it gets the relay with
// the flags that only its user wrote, and a sub-agent where the relay can know one.
func TestRelayIsRehearsed(t *testing.T) {
	for id, agents := range map[string]bool{"claude-code": true, "codex": true, "opencode": true, "cursor": false} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			if h, _ := registry.Get(id); h.Hooked(setup.ByRelay) {
				w.needsShell(id)
			}
			w.serveAll(speaking(carrying))
			w.front(id)
			file := map[string]string{"claude-code": ".claude.json", "codex": codexConfig, "opencode": openConfig, "cursor": ".cursor/mcp.json"}[id]
			w.replace(file, `"--"`, `"--schema", "hidden", "--"`)
			w.only = []string{
				"server.fronted", "relay.runnable", "hook.registered", "hook.runnable", "server.registered", "token.delivered", "live.delivered",
			}
			var got LiveCase
			w.live = func(_ context.Context, c LiveCase) (LiveProof, error) {
				got = c
				return LiveProof{Right: 1, Needed: 1, Saw: "wsi's test server saw 2 calls"}, nil
			}
			r := w.examine()
			broken, well := withStatus(r, report.Fail), withStatus(r, report.OK)
			if len(broken) > 0 || !slices.Contains(well, id+".token.delivered") || !slices.Contains(well, id+".live.delivered") {
				t.Errorf("broken %v, well %v\n%s", broken, well, w.shown(r))
			}
			if len(w.issued) < 3 || !strings.Contains(w.shown(r), " with the registered commands: each got the right value") {
				t.Errorf("%d values were issued:\n%s", len(w.issued), w.shown(r))
			}
			words := []string{w.bin, "relay", "--server", harnesses.DefaultServer, "--harness", id, "--state", w.state(), "--schema", "hidden", "--", "x"}
			if got.Way != setup.ByRelay || got.Agents != agents || !slices.Equal(got.Front.Before([]string{"x"}), words) {
				t.Errorf("by %s, agents: %v, %q", got.Way, got.Agents, got.Front.Words())
			}
		})
	}
}
