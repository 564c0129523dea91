package doctor

import (
	"context"
	"strings"
	"testing"
)

// A harness that was too slow to finish is not broken if all calls that came were right.
func TestProofThatEndsLate(t *testing.T) {
	t.Parallel()
	const late = "it did not end within 2m30s"
	for _, c := range []struct {
		name  string
		proof LiveProof
		want  string
	}{
		{"all right until then", LiveProof{Right: 3, Needed: 3, Saw: "wsi's test server saw 4 calls of 1 session", Late: late}, "warn: wsi's test server saw 4 calls of 1 session: 3 of 3 right, and then it did not end within 2m30s; OpenCode is slow here"},
		{"nothing came", LiveProof{Saw: "wsi's test server saw no call", Late: late}, "fail: OpenCode could not be run: it did not end within 2m30s, and wsi's test server saw no call"},
		{"one was wrong", LiveProof{Right: 2, Needed: 3, Wrong: "get_workflow: stale", Saw: "wsi's test server saw 4 calls of 1 session", Late: late}, "fail: wsi's test server saw 4 calls of 1 session: 2 of 3 right; get_workflow: stale"},
	} {
		w := newWorld(t, "")
		only("opencode")(w)
		w.goLive()
		w.live = func(context.Context, LiveCase) (LiveProof, error) { return c.proof, nil }
		w.only = []string{"live.delivered"}
		if got := about(w.examine(), "opencode", "live.delivered")["live.delivered"]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
