//go:build e2e

package live

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/procgroup"
	"wsi/internal/testkit/programtest"
)

// timesStarted is how often TestNothingLeft starts each harness. With 100 it takes an hour.
var timesStarted = flag.Int("starts", 3, "how often TestNothingLeft starts each harness")

// mark names the folder of the rig in the environment of the server and of all that it starts.
const mark = "WSI_E2E_SERVER"

// forking marks itself, leaves a child that cannot be asked to end, and passes lines on to the server. A call of get_workflow takes
// so long that the server hears of nothing else.
const forking = `#!/bin/sh
[ "$` + mark + `" ] || ` + mark + `=%[2]q exec "$0" "$@" # so that its environment has it from the beginning
echo $$ >> %[2]q/groups
sh -c 'trap "" TERM HUP INT; while :; do sleep 9; done' &
while IFS= read -r line; do
	case $line in *'"tools/call"'*'"get_workflow"'*) sleep 900; esac
	printf '%%s\n' "$line"
done | %[1]q "$@"
`

// TestNothingLeft ends each harness in turn normally, by SIGTERM and by kill -9, without and with an open call. Behind the relay,
// no process of the server's stays.
func TestNothingLeft(t *testing.T) {
	everyHarness(t, "relay", func(t *testing.T, of subject) {
		t.Helper()
		start := time.Now()
		dir := t.TempDir()
		program := filepath.Join(dir, "server")
		if err := programtest.WriteFile(program, fmt.Appendf(nil, forking, server, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		scripts := Scripts{}
		for n := range *timesStarted {
			scripts[fmt.Sprint("s", n)] = Script{{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}}
		}
		e := ender{t: t, rig: of.rigWith(t, Scenario{Scripts: scripts}, program).wired(t, setup.ByRelay), dir: dir}
		e.listen()
		for n := range *timesStarted {
			if left := e.one(fmt.Sprint("s", n), n); len(left) > 0 {
				t.Errorf("start %d: these processes stay: %q", n, left)
			}
		}
		of.record(setup.ByRelay, fmt.Sprintf("%d starts and ends", *timesStarted), Outcome{}, start)
	})
}

// ender starts a harness and ends it.
type ender struct {
	t       *testing.T
	rig     *Rig
	dir     string
	open    bool          // the third call is made, and gets no answer; else the model does not answer
	reached chan struct{} // the model was asked for its third answer
	release chan struct{} // closed when the model may give it
}

// listen has the model wait for release at its third answer.
func (e *ender) listen() {
	m := e.rig.Model
	m.turn = func(script string, n int, _ []byte) (Turn, error) {
		reached, release, open := e.reached, e.release, e.open
		if n != 2 {
			return m.scripts.turn(script, n), nil
		}
		select {
		case reached <- struct{}{}:
		default: // asked again
		}
		if open {
			return m.scripts.turn(script, n), nil
		}
		<-release
		return nil, nil
	}
}

// endings are the ways in which a harness ends. It is killed if it has not ended in time.
var endings = []struct {
	signal syscall.Signal
	within time.Duration
}{{syscall.SIGINT, 5 * time.Second}, {syscall.SIGTERM, 5 * time.Second}, {syscall.SIGKILL, 0}}

// one starts the harness, ends it in the n-th way and returns what its server has left running, which it kills. Without an open
// call, the first way is that the model is done.
func (e *ender) one(script string, n int) (left []string) {
	r, how := e.rig, endings[n%len(endings)]
	e.reached, e.release, e.open = make(chan struct{}, 1), make(chan struct{}), n%(2*len(endings)) >= len(endings)
	args, env := r.driver.command(r, script, "", "Work through the script. "+marker(script))
	out := new(bytes.Buffer)
	cmd := exec.CommandContext(e.t.Context(), r.binary, args...)
	cmd.Dir, cmd.Env = r.Work, append(r.environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	procgroup.Own(cmd)
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	defer procgroup.Kill(cmd)
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it may be killed
		close(ended)
	}()
	select {
	case <-e.reached:
	case <-ended:
		e.t.Errorf("%s ended by itself: %s", script, tail(out.Bytes()))
	case <-time.After(4 * time.Minute):
		e.t.Errorf("%s: the model was not asked for a third answer", script)
	}
	if e.open {
		time.Sleep(300 * time.Millisecond) // the call arrives
	}
	switch {
	case how.signal == syscall.SIGKILL:
	case how.signal == syscall.SIGINT && !e.open:
		close(e.release)
	default:
		_ = cmd.Process.Signal(how.signal) // it may have ended
	}
	for end := time.Now().Add(how.within); len(harnessOf(cmd.Process.Pid)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().Before(end) {
			continue
		}
		for _, p := range harnessOf(cmd.Process.Pid) {
			_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended
		}
	}
	<-ended
	if how.signal != syscall.SIGINT || e.open {
		close(e.release)
	}
	return e.left()
}

// left returns what the server has left running, after ten seconds in which it may end, and kills it.
func (e *ender) left() (left []string) {
	for range 100 {
		if left = e.running(); len(left) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	killAll(e.dir)
	return left
}

// running returns the processes of the server, the shells that guard its group, and relays.
func (e *ender) running() (running []string) {
	groups, _ := os.ReadFile(filepath.Join(e.dir, "groups")) // none at first
	for _, p := range processes() {
		guards := strings.HasPrefix(p.line, guard) && slices.Contains(strings.Fields(string(groups)), p.last)
		if p.environ[mark] == e.dir || guards || strings.Contains(p.line, e.rig.wsi+" relay ") {
			running = append(running, p.line)
		}
	}
	return running
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

// harnessOf returns the processes of a harness, which began with this one: those of its session, and what they have started, but
// not relays and servers.
func harnessOf(first int) (ids []int) {
	all := processes()
	is := map[int]bool{first: true}
	for range 4 { // children may come before their parents
		for _, p := range all {
			if (is[p.parent] || p.session == first) && p.environ[mark] == "" && !strings.Contains(p.line, " relay --") && !strings.HasPrefix(p.line, guard) {
				is[p.id] = true
			}
		}
	}
	for _, p := range all {
		if is[p.id] {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// guard is how the command line of the shell that waits for the relay's end begins.
const guard = "/bin/sh -c { read -r _ <&3"

// process is one that runs.
type process struct {
	id, parent, session int
	line, last          string // of its command line: all, and the last word
	environ             map[string]string
}

// processes returns those of this user.
func processes() (all []process) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range folders {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		environ, denied := os.ReadFile(filepath.Join(dir, "environ"))
		line, gone := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || denied != nil || gone != nil {
			continue // it has ended, or is another user's
		}
		p := process{environ: map[string]string{}}
		p.id, _ = strconv.Atoi(filepath.Base(dir))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[0] == "Z" {
			continue
		}
		p.parent, _ = strconv.Atoi(fields[1])
		p.session, _ = strconv.Atoi(fields[3])
		words := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		p.line, p.last = strings.Join(words, " "), words[len(words)-1]
		for word := range strings.SplitSeq(string(environ), "\x00") {
			name, value, _ := strings.Cut(word, "=")
			p.environ[name] = value
		}
		all = append(all, p)
	}
	return all
}

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
