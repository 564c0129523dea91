//go:build e2e

package live

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/programtest"
)

// killed passes lines on to the server, and is killed in place of the third call; the one that is started after it lives on.
const killed = `#!/bin/sh
calls=0
while IFS= read -r line; do
	case $line in *'"tools/call"'*)
		calls=$((calls + 1))
		if [ $calls = 3 ] && [ ! -e %[2]q ]; then : > %[2]q; kill -9 $$; break; fi
	esac
	printf '%%s\n' "$line"
done | %[1]q "$@"
`

// ends are the ways in which a server ends in the middle of a session: behind the relay, the calls that arrive.
var ends = []struct {
	name  string
	flags []string
	calls []Turn
	want  []string // the tools, with the verdicts
}{
	{
		"after every second answer",
		[]string{"-end-after", "2"},
		[]Turn{{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow_status", Args: `{}`}}},
		[]string{"start_session not needed", "get_activity right", "get_workflow right", "get_activity right", "get_workflow_status right"},
	},
	{
		"by kill -9 during the third call", nil,
		[]Turn{{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
		[]string{"start_session not needed", "get_activity right", "get_activity right", "get_activity missing"},
	},
}

// TestServerEnds: behind wsi relay a server that ends costs no more than the open call. No process of the server stays, and a
// later session has nothing of this one.
func TestServerEnds(t *testing.T) {
	for _, how := range ends {
		everyHarness(t, how.name, func(t *testing.T, of subject) {
			t.Helper()
			start := time.Now()
			program, scripts := server, []string{"first"}
			if how.flags == nil {
				dir := t.TempDir()
				program, scripts = filepath.Join(dir, "server"), []string{"first", "later"}
				if err := programtest.WriteFile(program, fmt.Appendf(nil, killed, server, filepath.Join(dir, "died")), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			r := of.rigWith(t, Scenario{Flags: how.flags, Scripts: Scripts{"first": how.calls, "later": {{{Tool: "get_activity", Args: `{}`}}}}}, program).wired(t, setup.ByRelay)
			for _, script := range scripts {
				r.prompt(t, script, "")
			}
			got := r.came(t)
			if !slices.Equal(got, how.want) {
				t.Errorf("%q, want %q", got, how.want)
			}
			if leaks, err := r.Leaks(); err != nil || leaks > 0 {
				t.Errorf("a token is in %d requests to the model, %v", leaks, err)
			}
			if kept, err := r.Kept(); err != nil || len(kept) > 0 {
				t.Errorf("a token is in the files %v, %v", kept, err)
			}
			left := processesOf(r.Server)
			if len(left) > 0 {
				t.Errorf("these processes stay: %q", left)
			}
			of.record(setup.ByRelay, "the server ends "+how.name, Outcome{Calls: len(got), Expected: len(how.want), Right: len(got), Needed: len(how.want), Wrong: left}, start)
		})
	}
}

// processesOf returns the processes that name a server's folder, after a second in which they may end.
func processesOf(folder string) (left []string) {
	for range 50 {
		left = nil
		for _, p := range processes() {
			if strings.Contains(p.line, folder) {
				left = append(left, p.line)
			}
		}
		if len(left) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}
