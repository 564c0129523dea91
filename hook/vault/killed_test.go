package vault

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/hook/carry"
)

// put makes a value the newest of its writer, which has a chain of its own.
func put(v Vault, name string, n int) error {
	return v.Update("h", "s", func(s *carry.State) bool {
		s.Next = 1
		for i := range s.Chains {
			if s.Chains[i].Server == name {
				s.Chains[i].Value = valueOf(name, n)
				return true
			}
		}
		s.Chains = append(s.Chains, carry.Chain{Server: name, Value: valueOf(name, n)})
		return true
	})
}

// got returns the number of a writer's newest value, -1 for none.
func got(t *testing.T, v Vault, name string) int {
	t.Helper()
	s, err := v.Load("h", "s")
	if err != nil {
		t.Error(err)
		return -2
	}
	for _, c := range s.Chains {
		if c.Server == name {
			var n int
			if _, err := fmt.Sscanf(strings.ReplaceAll(c.Value, "-", " "), name+" %d", &n); err != nil || !whole(c.Value) {
				t.Errorf("%s has %q, %v", name, c.Value, err)
			}
			return n
		}
	}
	return -1
}

var writerFrom = flag.Int("writer.from", -1, "the number of the first value of the process that writes until it is killed")

// TestToWriteOn is a process that writes values and says which of them it has written, until it is killed.
func TestToWriteOn(t *testing.T) {
	if *writerFrom < 0 {
		t.Skip("started by TestKilledWriters")
	}
	v := Vault{Dir: *writerHome}
	for n := *writerFrom; ; n++ {
		if err := put(v, *writerName, n); err != nil {
			t.Fatal(err)
		}
		fmt.Println("wrote", n)
	}
}

// Three processes write one session and are killed again and again. What any of them has said to have written, every process
// sees from then on.
func TestKilledWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, name := range []string{"one", "two", "three"} {
		all.Go(func() {
			next, kills := 0, 0
			for kills < 40 {
				last := killedWriter(t, dir, name, next)
				kills++
				now := got(t, Vault{Dir: dir}, name)
				if now < last {
					t.Errorf("%s wrote %d, others see %d", name, last, now)
				}
				next = now + 1
			}
			t.Logf("%s was killed %d times, %d values", name, kills, next)
		})
	}
	all.Wait()
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*.corrupt")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// killedWriter runs a process that writes, kills it, and returns the last value that it said to have written.
func killedWriter(t *testing.T, dir, name string, from int) (last int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToWriteOn$", "-writer.home="+dir, "-writer.name="+name, fmt.Sprint("-writer.from=", from))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return -1
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return -1
	}
	last = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "wrote %d", &last); err != nil {
			t.Errorf("%s: %s", name, lines.Text())
		}
		if last == from {
			time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // it was killed
	return last
}
