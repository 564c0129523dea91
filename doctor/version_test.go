package doctor

import (
	"context"
	"strings"
	"testing"
)

// A version that the harness's own binary has just proven is measured, be it newer or older than those that wsi knows.
// A flaw that is known of it stays.
func TestVersionThatIsProven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		proven  bool
		want    string
	}{
		{"2.1.400 (Claude Code)", true, "ok: the live proof with 2.1.400 succeeded"},
		{"2.1.400 (Claude Code)", false, "info: not tested with 2.1.400"}, // it was tried already
		{"2.1.329 (Claude Code)", true, "ok: wsi was tested with 2.1.329"},
		{"2.1.100 (Claude Code)", true, "warn: Claude Code 2.1.100 hides"},
	} {
		w := newWorld(t, "")
		w.needsShell("claude-code")
		only("claude-code")(w)
		w.versions["/opt/claude"] = c.version
		w.goLive()
		w.only = []string{"harness.version", "live.delivered"}
		w.live = func(context.Context, LiveCase) (LiveProof, error) {
			proof := LiveProof{Right: 2, Needed: 2, Saw: "wsi's test server saw 3 calls"}
			if !c.proven {
				proof.Right, proof.Wrong = 1, "the second call carried none"
			}
			return proof, nil
		}
		told := ""
		o := w.options()
		o.Watch = func(e Event) {
			if e.Kind == Found && e.Check == "claude-code.harness.version" {
				told = string(e.Finding.Status) + ": " + e.Finding.Text
			}
		}
		r, err := Run(t.Context(), o, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := about(r, "claude-code", "harness.version")["harness.version"]; !strings.HasPrefix(got, c.want) || told != got || strings.Contains(got, "--live") {
			t.Errorf("%s: %s, told %s, want %s", c.version, got, told, c.want)
		}
	}
}
