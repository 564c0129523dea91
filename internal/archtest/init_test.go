package archtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What wsi may spend before main, which it pays before and after every tool call. On two shared
// cores it is 0.42 ms in all, half of it of the terminal libraries.
const (
	mostPerPackage = 500 * time.Microsecond
	mostInAll      = 2 * time.Millisecond
)

func TestTimeBeforeMain(t *testing.T) {
	watch(t)
	spent := measure(t, build(t, module+"cmd/wsi"), "inject", "--harness", "claude-code")
	for _, v := range tooSlow(spent) {
		t.Error(v)
	}
	var sum time.Duration
	for _, d := range spent {
		sum += d
	}
	t.Logf("%d packages spend %v", len(spent), sum)
	if spent["runtime"] == 0 && spent["os"] == 0 {
		t.Errorf("nothing was measured: %v", spent)
	}
}

func TestTimeBeforeMainIsSeen(t *testing.T) {
	spent := measure(t, build(t, "./testdata/slowinit"))
	if got := strings.Join(tooSlow(spent), "\n"); !strings.Contains(got, "main spends ") {
		t.Errorf("a package that spends 2 ms before main was not seen; measured %v", spent)
	}
	many := map[string]time.Duration{"a": mostInAll / 4, "b": mostInAll / 4, "c": mostInAll / 4, "d": mostInAll / 4, "e": mostInAll / 4}
	if got := tooSlow(many); len(got) != 1 || !strings.Contains(got[0], "all packages") {
		t.Errorf("packages that are each within bounds but not together: got %q", got)
	}
}

// tooSlow names what breaks the bounds.
func tooSlow(spent map[string]time.Duration) (violations []string) {
	var sum time.Duration
	for name, d := range spent {
		sum += d
		if d > mostPerPackage {
			violations = append(violations, fmt.Sprintf("%s spends %v before main, and at most %v is allowed", name, d, mostPerPackage))
		}
	}
	if sum > mostInAll {
		violations = append(violations, fmt.Sprintf("all packages together spend %v before main, and at most %v is allowed", sum, mostInAll))
	}
	slices.Sort(violations)
	return violations
}

// measure runs a program with an empty standard input and returns, per package, the shortest time
// its initialisation took: what disturbed a run only ever makes it longer.
func measure(t *testing.T, program string, args ...string) map[string]time.Duration {
	t.Helper()
	home := t.TempDir()
	least := map[string]time.Duration{}
	for run := range 20 {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+home, "USERPROFILE="+home, "WSI_STATE_DIR="+home)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(program), err, stderr.Bytes())
		}
		for name, d := range initTimes(stderr.String()) {
			if old, seen := least[name]; run == 0 || seen && d < old {
				least[name] = d
			}
		}
	}
	return least
}

// A line of inittrace: "init internal/bytealg @0.008 ms, 0.002 ms clock, 0 bytes, 0 allocs".
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock,`)

func initTimes(trace string) map[string]time.Duration {
	times := map[string]time.Duration{}
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		if ms, err := strconv.ParseFloat(m[2], 64); err == nil {
			times[m[1]] += time.Duration(ms * float64(time.Millisecond))
		}
	}
	return times
}

// build compiles a program as it is released.
func build(t *testing.T, pkg string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	goCommand(t, []string{"CGO_ENABLED=0"}, "build", "-trimpath", "-ldflags", "-s -w", "-o", program, pkg)
	return program
}
