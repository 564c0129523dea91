package installer

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/ledger"
)

// Flags of the process that TestKilledAtEveryStep starts.
var (
	killHome = flag.String("kill.home", "", "the home in which to set up, or remove, until the process kills itself")
	killAt   = flag.Int("kill.at", 0, "at which moment it does")
	killStep = flag.String("kill.in", "", "the journey whose last step it is")
)

// A real process is killed as by kill -9: before each change, after each change, and in the middle of each
// file, with half of a temporary file written. Then every file is old or new, the lock is free, and remove
// restores everything, at once or after a complete setup. No temporary file is left. Row 27.
func TestKilledAtEveryStep(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	begin := time.Now()
	var kills atomic.Int32
	t.Run("journeys", func(t *testing.T) {
		for _, journey := range []string{
			"setup", "setup by relay", "hooks to relay", "relay to hooks",
			"remove", "remove a relay",
		} {
			t.Run(journey, func(t *testing.T) {
				t.Parallel()
				for v, n := newVictim(t, journey), 1; v.killedAt(t, n); n++ {
					kills.Add(1)
					if t.Failed() {
						t.Fatalf("step %d", n)
					}
				}
			})
		}
	})
	t.Logf("killed %d times in %v", kills.Load(), time.Since(begin).Round(time.Millisecond))
	if kills.Load() < 150 {
		t.Errorf("killed only %d times", kills.Load())
	}
}

// victim is a user whose last step is killed, each time in the same home.
type victim struct {
	journey string
	o       Options
	clean   map[string]string // the home before the first step
	saved   string            // a copy of the home before the last step
	plan    Plan              // of the last step
}

func newVictim(t *testing.T, journey string) victim {
	t.Helper()
	o, steps := onDisk(t), journeys[journey]
	v := victim{journey: journey, o: o, clean: foldersAndFiles(t, o), saved: t.TempDir()}
	for _, plan := range steps[:len(steps)-1] {
		locked(t, o, plan)
	}
	v.plan = mustPlan(t, steps[len(steps)-1], o)
	if err := os.CopyFS(v.saved, os.DirFS(o.Env.Home)); err != nil {
		t.Fatal(err)
	}
	return v
}

// killedAt returns false if the process ends by itself because it has fewer than n steps.
func (v victim) killedAt(t *testing.T, n int) bool {
	t.Helper()
	o := v.o
	if err := errors.Join(os.RemoveAll(o.Env.Home), os.CopyFS(o.Env.Home, os.DirFS(v.saved))); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToBeKilled$", "-kill.home="+o.Env.Home,
		"-kill.at="+strconv.Itoa(n), "-kill.in="+v.journey)
	out, err := child.CombinedOutput()
	if err == nil {
		return false
	}
	if len(out) > 0 || runtime.GOOS != "windows" && child.ProcessState.Exited() { // Windows knows no signals
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	eachOldOrNew(t, "killed", files.Disk{}, v.plan)
	ledgerIsTrue(t, "killed", o, files.Disk{}, true)
	if n%2 == 0 {
		locked(t, o, PlanRemove)
		sameTree(t, "after remove", foldersAndFiles(t, o), v.clean)
		return true
	}
	locked(t, o, PlanSetup)
	if again := mustPlan(t, PlanSetup, o); len(again.Changes) > 0 {
		t.Errorf("another setup would change %+v", again.Changes)
	}
	for path := range foldersAndFiles(t, o) {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s is left", path)
		}
	}
	locked(t, o, PlanRemove)
	sameTree(t, "after setup and remove", foldersAndFiles(t, o), v.clean)
	return true
}

func locked(t *testing.T, o Options, plan func(Options) (Plan, error)) {
	t.Helper()
	unlock, err := Lock(context.Background(), o.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	mustApply(t, plan, o)
}

// foldersAndFiles returns everything in the home folder, except what remove leaves of wsi's own files.
func foldersAndFiles(t *testing.T, o Options) map[string]string {
	t.Helper()
	m, backups := read(t, o.Env.Home), filepath.Join(o.StateDir, "backups")
	for _, path := range []string{filepath.Dir(o.StateDir), o.StateDir, backups, ledger.Path(o.StateDir)} {
		delete(m, path)
	}
	for path := range m {
		if filepath.Dir(path) == backups && !strings.HasSuffix(path, ".tmp") {
			delete(m, path)
		}
	}
	return m.tree()
}

// TestToBeKilled is the process that is killed; it tests nothing by itself.
func TestToBeKilled(t *testing.T) {
	if *killHome == "" {
		t.Skip("started by TestKilledAtEveryStep")
	}
	moment := 0
	step := func(temp string) { // what is left of the temporary file, if it is not ""
		if moment++; moment == *killAt {
			if temp != "" {
				_ = os.WriteFile(temp, []byte("{\"half"), 0o600)
			}
			die(t)
		}
	}
	steps := journeys[*killStep]
	locked(t, optionsOf(*killHome, watched{FS: files.Disk{}, at: func(op, path string, after bool) error {
		if slices.Contains(looks, op) {
			return nil
		}
		if op != "replace" || !after {
			step("")
		}
		if op == "replace" {
			step(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".wsi-1.tmp"))
		}
		return nil
	}}), steps[len(steps)-1])
}

func die(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	select {} // until the signal arrives
}

// served is a home folder whose harnesses know the server; some lack the files that setup writes.
var served = together(messy, map[string]string{
	".claude.json":                    "{\"mcpServers\": {\"workflow-server\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}}}\n",
	".config/opencode/opencode.jsonc": "{ /* mine */ \"mcp\": {\"workflow-server\": {\"type\": \"local\", \"command\": [\"npx\"]}} }",
	".config/opencode/plugins/x":      "",
	".cursor/mcp.json":                "{\"mcpServers\": {\"workflow-server\": {\"command\": \"npx\"}}}\n",
})

func together(homes ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range homes {
		maps.Copy(all, m)
	}
	return all
}

// journeys are sequences of user actions, of which the last one is killed.
var journeys = map[string][]func(Options) (Plan, error){
	"setup":           {byMode(setup.ByHooks)},
	"setup by relay":  {byMode(setup.ByRelay)},
	"hooks to relay":  {byMode(setup.ByHooks), byMode(setup.ByRelay)},
	"relay to hooks":  {byMode(setup.ByRelay), byMode(setup.ByHooks)},
	"remove":          {byMode(setup.ByHooks), PlanRemove},
	"remove a relay":  {byMode(setup.ByRelay), PlanRemove},
	"trust, later":    {untrusted, byMode(setup.ByHooks)},
	"there and back":  {byMode(setup.ByHooks), byMode(setup.ByRelay), byMode(setup.ByHooks)},
	"a moved program": {byMode(setup.ByHooks), moved},
}

// byMode plans a setup in one mode, for harnesses that have it.
func byMode(mode setup.Mode) func(Options) (Plan, error) {
	return func(o Options) (Plan, error) {
		o.Modes = map[string]setup.Mode{}
		for _, h := range o.Harnesses {
			if _, ok := h.Choice(mode); ok {
				o.Modes[h.ID] = mode
			}
		}
		return PlanSetup(o)
	}
}

func untrusted(o Options) (Plan, error) {
	o.Trust = false
	return PlanSetup(o)
}

func moved(o Options) (Plan, error) {
	o.Program.Path = filepath.Join(o.Env.Home, "bin", "wsi")
	return PlanSetup(o)
}

// After a kill, remove restores also a file with trust records that was edited since: they are removed before the hooks,
// which alone say to whom a record belongs. Row 27.
func TestKillWithTrustInEditedFile(t *testing.T) {
	t.Parallel()
	kills := 0
	for _, journey := range []string{"hooks to relay", "remove"} {
		steps := journeys[journey]
		o, before := inMemory(served)
		mustApply(t, steps[0], on(o, before))
		config := filepath.Join(home(), configFile)
		before.put(config, string(before[config].Data)+"\n[theirs]\nx = 1\n")
		for n := 1; ; n++ {
			m := before.clone()
			where, _ := failAt(t, death, steps[1], n, on(o, m), m)
			if where == "" {
				break
			}
			kills++
			mustApply(t, PlanRemove, on(o, m))
			left := string(m[config].Data)
			if strings.Contains(left, "hooks.state") || !strings.Contains(left, "[theirs]") || m[filepath.Join(home(), codexFile)] != nil {
				t.Fatalf("%s, %s; then remove:\n%s", journey, where, left)
			}
		}
	}
	if kills < 40 {
		t.Errorf("killed only %d times", kills)
	}
}
