//go:build e2e

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

// interventions are what is done to the server between the second call and the third. Its program is replaced by a newer one, with other
// tools.
var interventions = []struct {
	name, flags string
	kill        bool
	want        string // the versions that get the five calls behind the relay
}{
	{"an exchanged binary, and kill -9", "", true, "1 1 2 2 2"},
	{"an exchanged binary, with --reload-on-change", "--reload-on-change %q", false, "1 1 2 2 2"},
}

// TestServerIsExchanged replaces the server's program between two calls. Behind the relay, each call arrives once, at
// the right version and with the right value.
func TestServerIsExchanged(t *testing.T) {
	calls := Script{
		{{Tool: opening, Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_workflow", Args: `{}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_workflow_status", Args: `{}`}},
	}
	for _, how := range interventions {
		for _, with := range []bool{true, false} {
			everyHarness(t, string(wayOf(with))+"/"+how.name, func(t *testing.T, of subject) {
				t.Helper()
				start := time.Now()
				dir := t.TempDir()
				program := filepath.Join(dir, "server")
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
				s := Scenario{Name: how.name, Scripts: Scripts{"first": calls}, Runs: [][]string{{"first"}}}
				r := of.rig(t, s, program)
				if r.Way = wayOf(with); with {
					front(t, r, strings.ReplaceAll(how.flags, "%q", `"`+program+`"`), filepath.Join(dir, "said"))
				}
				running := 0
				r.Model.turn = func(script string, n int, _ []byte) (Turn, error) {
					if n == 2 && r.Model.count("intervened") == 0 {
						install("2", "-readonly")
						if how.kill {
							killAll(dir)
						}
						running = settle(dir, with && !how.kill)
					}
					return s.Scripts.turn(script, n), nil
				}
				if _, err := r.Prompt(t.Context(), "first", ""); err != nil && with {
					t.Fatal(err)
				}
				arrived, err := r.Calls()
				if err != nil {
					t.Fatal(err)
				}
				o := s.judge(arrived)
				got := strings.Join(words(filepath.Join(dir, "called")), " ")
				said, _ := os.ReadFile(filepath.Join(dir, "said")) // none without wsi
				changed := strings.Count(string(said), "notifications/tools/list_changed")
				listed := words(filepath.Join(dir, "listed"))
				again := len(slices.DeleteFunc(slices.Clone(listed), func(v string) bool { return v != "2" }))
				t.Logf("calls %q, %d processes in between, list_changed %d times, the newer one lists its tools %d times", got, running, changed, again)
				left := remaining(dir)
				if with && (got != how.want || !o.OK()) {
					t.Errorf("the calls went to %q, want %q; %s", got, how.want, o)
				}
				if with && strings.Contains(string(said), `"protocolVersion"`) && changed != 1 {
					t.Errorf("the harness was told %d times that the tools changed", changed)
				}
				if with && left > 0 {
					t.Errorf("%d processes stay", left)
				}
				killAll(dir)
				record(of.id, of.version, wayOf(with), fmt.Sprintf("%s: calls to %s, %d processes in between, %d left, list_changed %d", how.name, got, running, left, changed), o, start)
			})
		}
	}
}

// front wires wsi with more flags of the relay, and keeps what it says to the harness.
func front(t *testing.T, r *Rig, flags, said string) {
	t.Helper()
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(r.wsi, r.wsi+"-real"); err != nil {
		t.Fatal(err)
	}
	if err := programtest.WriteFile(r.wsi, fmt.Appendf(nil, withFlags, flags, said), 0o700); err != nil {
		t.Fatal(err)
	}
}

// settle waits until the server has been started again, if it should be, and returns how many processes of it run.
func settle(dir string, again bool) (running int) {
	for range 150 {
		running = len(serverIn(dir))
		started := len(words(filepath.Join(dir, "groups")))
		if again && started < 2 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		break
	}
	return running
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
