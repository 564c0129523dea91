package refserver

import (
	"slices"
	"testing"
	"time"
)

// Two chains never share a token, even with the same payload in the same second, as after start_session with a
// token and without agent_id.
func TestTokensAreUnique(t *testing.T) {
	now := func() time.Time { return time.Unix(1795187971, 0) }
	dir := t.TempDir()
	s := Open(dir, Options{Now: now})
	first := call(t, s, "start_session", `{"workflow_id":"demo"}`).token()
	adopted := call(t, s, "start_session", with(first)).token()
	next := call(t, s, "get_workflow", with(first)).token()
	if adopted == next {
		t.Error("two chains have the same token")
	}
	issued, err := ReadIssued(dir)
	slices.Sort(issued)
	if shown := slices.Sorted(slices.Values([]string{first, adopted, next})); err != nil || !slices.Equal(issued, shown) {
		t.Errorf("%d tokens are issued, %v", len(issued), err)
	}
	for chain, token := range []string{next, adopted} {
		call(t, s, "get_workflow", with(token))
		want(t, s, Right, false)
		if c := last(t, s); c.Chain != chain+1 {
			t.Errorf("the token of chain %d is recorded for chain %d", chain+1, c.Chain)
		}
	}
}
