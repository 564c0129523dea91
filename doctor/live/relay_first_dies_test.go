//go:build e2e

package live

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"wsi/internal/testkit/programtest"
)

// dying passes lines on to the server, and ends it in place of the third call; the one that is started
// after it lives on.
const dying = `#!/bin/sh
calls=0
while IFS= read -r line; do
	case $line in *'"tools/call"'*)
		calls=$((calls + 1))
		if [ $calls = 3 ] && [ ! -e %[2]q ]; then : > %[2]q; break; fi
	esac
	printf '%%s\n' "$line"
done | %[1]q "$@"
`

// TestRelayFirstServerDies: the relay starts a server again that dies in the middle of a session. A later session has nothing
// of this one.
func TestRelayFirstServerDies(t *testing.T) {
	for _, h := range relayFirst {
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			s := Scenario{Scripts: Scripts{
				"first": {
					{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
					{{Tool: "get_activity", Args: `{}`}},
					{{Tool: "get_workflow", Args: `{}`}}, // no answer comes
					{{Tool: "get_activity", Args: `{}`}},
				},
				"later": {{{Tool: "get_activity", Args: `{}`}}},
			}}
			dir := t.TempDir()
			program := filepath.Join(dir, "server")
			if err := programtest.WriteFile(program, fmt.Appendf(nil, dying, server, filepath.Join(dir, "died")), 0o700); err != nil {
				t.Fatal(err)
			}
			r := h.rig(t, s, h.tool, program)
			if err := r.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, script := range []string{"first", "later"} {
				if _, err := r.Prompt(t.Context(), script, ""); err != nil {
					t.Fatal(err)
				}
			}
			calls, err := r.Calls()
			if err != nil {
				t.Fatal(err)
			}
			want := []string{`first start_session: not needed, "first"`, `first get_activity: right, "first"`, `first get_activity: right, "first"`, `later get_activity: missing, ""`}
			if got := told(calls); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			leaks, err := r.Leaks()
			if kept, errKept := r.Kept(); err != nil || errKept != nil || leaks > 0 || len(kept) > 0 {
				t.Errorf("a token is in %d requests to the model and in the files %v, %v, %v", leaks, kept, err, errKept)
			}
		})
	}
}
