package vault

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/hook/carry"
)

// Flags of the processes that TestTwoProcesses starts.
var (
	writerHome = flag.String("writer.home", "", "the home folder of the process that writes")
	writerName = flag.String("writer.name", "", "what its values begin with")
)

const written = 200 // values, by each process

// TestToWrite is one of the two processes; it tests nothing by itself. Each of its rounds does what a hook before a call
// and one after it do.
func TestToWrite(t *testing.T) {
	if *writerHome == "" {
		t.Skip("started by TestTwoProcesses")
	}
	v := Vault{Dir: filepath.Join(*writerHome, "vault")}
	c := CurrentIn(*writerHome)
	for n := range written {
		value := valueOf(*writerName, n)
		if err := errors.Join(v.Update("h", "s", add(value)), c.Save(value)); err != nil {
			t.Fatalf("value %d: %v", n, err)
		}
		if n == 0 {
			awaitTheOther(t, v)
		}
		s, err := v.Load("h", "s")
		if err != nil || !slices.ContainsFunc(s.Chains, func(c carry.Chain) bool { return c.Value == value }) {
			t.Fatalf("value %d is not among %d: %v", n, len(s.Chains), err)
		}
		if now, err := c.Load(); err != nil || !whole(now) {
			t.Fatalf("the current one is %q: %v", now, err)
		}
	}
}

// awaitTheOther waits until both processes have written, so that neither is done before the other begins.
func awaitTheOther(t *testing.T, v Vault) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		s, err := v.Load("h", "s")
		if err != nil || time.Now().After(end) {
			t.Fatalf("no value of the other process: %v", err)
		}
		if first := s.Chains[0].Value; slices.ContainsFunc(s.Chains, func(c carry.Chain) bool { return c.Value[0] != first[0] }) {
			return
		}
	}
}

// valueOf returns a value whose length says which one it is, so that a mix of two is noticed.
func valueOf(name string, n int) string {
	return fmt.Sprintf("%s-%d-%s", name, n, strings.Repeat("x", n))
}

func whole(value string) bool {
	var name string
	var n int
	_, err := fmt.Sscanf(strings.ReplaceAll(value, "-", " "), "%s %d", &name, &n)
	return err == nil && value == valueOf(name, n)
}

// Two processes write one session, and the second place, at once. Neither fails, no value is lost, each process's come in
// its order, and only the files that belong there are left.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "Jörg Groß")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToWrite$", "-writer.home="+home, "-writer.name="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		})
	}
	all.Wait()
	v := Vault{Dir: filepath.Join(home, "vault")}
	s, err := v.Load("h", "s")
	if err != nil {
		t.Fatal(err)
	}
	kept, turns := map[string]int{}, 0
	for i, c := range s.Chains {
		name := c.Value[:1]
		if c.Value != valueOf(name, kept[name]) {
			t.Errorf("%.10s comes after %d values of %s", c.Value, kept[name], name)
		}
		kept[name]++
		if i > 0 && s.Chains[i-1].Value[:1] != name {
			turns++
		}
	}
	if t.Logf("kept %v, in %d turns", kept, turns); kept["a"] != written || kept["b"] != written || turns < 10 {
		t.Errorf("kept %v in %d turns, want %d of each, by turns", kept, turns, written)
	}
	wantFiles(t, home, v.path("h", "s"), CurrentIn(home))
}

// wantFiles checks that nothing but a session, its lock and the current value is in a home.
func wantFiles(t *testing.T, home, session string, c Current) {
	t.Helper()
	belongs := []string{session, filepath.Join(filepath.Dir(session), lockName), c.Path}
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(belongs, path) {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

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
