package archtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/buildtest"
)

// What wsi may spend before main, which it pays before and after every tool call. On two shared
// cores it is 0.6 ms in all, half of it of the terminal libraries, and less than 0.1 ms of our packages. What a package
// allocates is the same on every machine, and small for all of ours, so that a limit sees a single regular expression.
const (
	mostPerPackage = 500 * time.Microsecond
	mostInAll      = 2 * time.Millisecond
	mostOurs       = 100 * time.Microsecond
	mostBytesOurs  = 2 << 10
)

// cost is what the initialization of a package takes.
type cost struct {
	time  time.Duration
	bytes int
}

func TestTimeBeforeMain(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	watch(t)
	program, err := buildtest.Program(t.TempDir(), buildtest.Wsi)
	if err != nil {
		t.Fatal(err)
	}
	spent := measure(t, program, "inject", "--harness", "claude-code")
	for _, v := range tooSlow(spent) {
		t.Error(v)
	}
	var sum time.Duration
	for _, c := range spent {
		sum += c.time
	}
	t.Logf("%d packages spend %v", len(spent), sum)
	if spent["runtime"].time == 0 && spent["os"].time == 0 || spent["os"].bytes == 0 {
		t.Errorf("nothing was measured: %v", spent)
	}
}

func TestTimeBeforeMainIsSeen(t *testing.T) {
	for want, spent := range map[string]map[string]cost{
		"os spends ":          {"os": {time: mostPerPackage + 1}},
		"main allocates ":     {"main": {bytes: mostBytesOurs + 1}},
		"wsi's own packages ": {module + "a": {time: mostOurs}, module + "b": {time: time.Microsecond}},
		"all packages ":       {"a": {time: mostInAll / 4}, "b": {time: mostInAll / 4}, "c": {time: mostInAll / 4}, "d": {time: mostInAll / 4}, "e": {time: 1}},
	} {
		if got := tooSlow(spent); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q: %q", want, got)
		}
	}
}

// tooSlow names what breaks the bounds.
func tooSlow(spent map[string]cost) (violations []string) {
	var sum, own time.Duration
	within := func(who string, took, most time.Duration) {
		if took > most {
			violations = append(violations, fmt.Sprintf("%s %v before main, and at most %v is allowed", who, took, most))
		}
	}
	for name, c := range spent {
		sum += c.time
		within(name+" spends", c.time, mostPerPackage)
		if name != "main" && !strings.HasPrefix(name, module) {
			continue
		}
		own += c.time
		if c.bytes > mostBytesOurs {
			violations = append(violations, fmt.Sprintf("%s allocates %d bytes before main, and at most %d are allowed: do it when it is first needed", name, c.bytes, mostBytesOurs))
		}
	}
	within("wsi's own packages together spend", own, mostOurs)
	within("all packages together spend", sum, mostInAll)
	slices.Sort(violations)
	return violations
}

// measure runs a program with an empty standard input and returns what the initialization of each package took, in
// its shortest run: what disturbed a run only ever makes it longer. On a busy machine it takes more runs until all were undisturbed.
func measure(t *testing.T, program string, args ...string) map[string]cost {
	t.Helper()
	home := t.TempDir()
	least := map[string]cost{}
	for run := 0; run < 20 || run < 300 && tooSlow(least) != nil; run++ {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+home, "USERPROFILE="+home, "WSI_STATE_DIR="+home)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(program), err, stderr.Bytes())
		}
		for name, c := range initCosts(stderr.String()) {
			if old, seen := least[name]; run == 0 || seen && c.time < old.time {
				least[name] = c
			}
		}
	}
	return least
}

// A line of inittrace: "init internal/bytealg @0.008 ms, 0.002 ms clock, 0 bytes, 0 allocs".
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes,`)

func initCosts(trace string) map[string]cost {
	costs := map[string]cost{}
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		ms, errTime := strconv.ParseFloat(m[2], 64)
		bytes, errBytes := strconv.Atoi(m[3])
		if errTime == nil && errBytes == nil {
			c := costs[m[1]]
			costs[m[1]] = cost{c.time + time.Duration(ms*float64(time.Millisecond)), c.bytes + bytes}
		}
	}
	return costs
}
