//go:build e2e

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/programtest"
)

// versioned passes lines on to the server, and notes which version of it gets calls and requests for the list of tools.
const versioned = `#!/bin/sh
[ "$` + mark + `" ] || ` + mark + `=%[2]q exec "$0" "$@" # so that its environment has it from the beginning
echo $$ >> %[2]q/groups
while IFS= read -r line; do
	case $line in
	*'"tools/call"'*) echo %[3]s >> %[2]q/called;;
	*'"tools/list"'*) echo %[3]s >> %[2]q/listed;;
	esac
	printf '%%s\n' "$line"
done | %[1]q "$@" %[4]s
`

// withFlags is a wsi whose relay has more flags, and whose messages to the harness are kept.
const withFlags = `#!/bin/sh
[ "$1" = relay ] || exec "$0-real" "$@"
shift
"$0-real" relay %s "$@" | tee -a %q
`

// TestServerIsExchanged replaces the server's program by a newer one, with other tools, between the second call and the third.
// Behind the relay, each call arrives once, at the right version and with the right value.
func TestServerIsExchanged(t *testing.T) {
	s := Scenario{Scripts: Scripts{"first": {
		{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_workflow", Args: `{}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_workflow_status", Args: `{}`}},
	}}, Runs: [][]string{{"first"}}}
	for how, kill := range map[string]bool{"kill -9": true, "--reload-on-change": false} {
		everyHarness(t, how, func(t *testing.T, of subject) {
			t.Helper()
			start := time.Now()
			dir := t.TempDir()
			program, flags := filepath.Join(dir, "server"), ""
			if !kill {
				flags = how + ` "` + program + `"`
			}
			install := func(version, flags string) {
				content := fmt.Appendf(nil, versioned, server, dir, version, flags)
				if err := programtest.WriteFile(program+".new", content, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(program+".new", program); err != nil {
					t.Fatal(err)
				}
			}
			install("1", "")
			r := of.relayed(t, s, program)
			front(t, r, flags, filepath.Join(dir, "said"))
			r.Model.turn = func(script string, n int, _ []byte) (Turn, error) {
				if n == 2 && r.Model.count("intervened") == 0 {
					install("2", "-readonly")
					if kill {
						killAll(dir)
					} else {
						awaitSecond(dir)
					}
				}
				return s.Scripts.turn(script, n), nil
			}
			if _, err := r.Prompt(t.Context(), "first", ""); err != nil {
				t.Fatal(err)
			}
			arrived, err := r.Calls()
			if err != nil {
				t.Fatal(err)
			}
			o := s.judge(arrived)
			if got := strings.Join(words(filepath.Join(dir, "called")), " "); got != "1 1 2 2 2" || !o.OK() {
				t.Errorf("the calls went to %q; %s", got, o)
			}
			said, _ := os.ReadFile(filepath.Join(dir, "said"))
			changed := strings.Count(string(said), "notifications/tools/list_changed")
			if strings.Contains(string(said), `"protocolVersion"`) && changed != 1 {
				t.Errorf("the harness was told %d times that the tools changed", changed)
			}
			if left := remaining(dir); left > 0 {
				t.Errorf("%d processes stay", left)
			}
			killAll(dir)
			record(of.id, of.version, setup.ByRelay, fmt.Sprintf("an exchanged binary, and %s: list_changed %d", how, changed), o, start)
		})
	}
}

// front gives the relay more flags, and keeps what it says to the harness.
func front(t *testing.T, r *Rig, flags, said string) {
	t.Helper()
	if err := os.Rename(r.wsi, r.wsi+"-real"); err != nil {
		t.Fatal(err)
	}
	if err := programtest.WriteFile(r.wsi, fmt.Appendf(nil, withFlags, flags, said), 0o700); err != nil {
		t.Fatal(err)
	}
}

// awaitSecond waits until the server has been started again.
func awaitSecond(dir string) {
	for range 150 {
		if len(words(filepath.Join(dir, "groups"))) > 1 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// remaining returns how many processes of the server stay, after ten seconds in which they may end.
func remaining(dir string) (n int) {
	for range 100 {
		if n = len(serverIn(dir)); n == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return n
}

func killAll(dir string) {
	for _, id := range serverIn(dir) {
		_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
	}
}

// serverIn returns the processes of the server in a folder.
func serverIn(dir string) (ids []int) {
	for _, p := range processes() {
		if p.environ[mark] == dir {
			ids = append(ids, p.id)
		}
	}
	return ids
}

func words(path string) []string {
	content, _ := os.ReadFile(path) // none yet
	return strings.Fields(string(content))
}
