package vault

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// long returns the vault as a process that runs for long has it.
func long(dir string) Vault { return Vault{Dir: dir, Memory: new(Memory)} }

// onlyQuick skips a test where no file of newer states is written.
func onlyQuick(t *testing.T) {
	t.Helper()
	if !quick {
		t.Skip("no file is kept open on " + runtime.GOOS)
	}
}

// A long session's file is written once, and its newest state goes into the other one, where every process finds it.
func TestNewestStateIsInTheOpenFile(t *testing.T) {
	onlyQuick(t)
	v := long(t.TempDir())
	path := v.path("h", "s")
	var first []byte
	for n := range 10 {
		if err := put(v, "a", n); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = raw
		}
		if !bytes.Equal(raw, first) {
			t.Fatalf("%d: the session's file was written", n)
		}
		for name, other := range map[string]Vault{"a hook": {Dir: v.Dir}, "a relay": long(v.Dir), "itself": v} {
			if now := got(t, other, "a"); now != n {
				t.Errorf("%s sees %d, not %d", name, now, n)
			}
		}
	}
	if err := v.Flush(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(raw, []byte(valueOf("a", 9))) {
		t.Errorf("an older wsi does not find the newest value: %v", err)
	}
}

// A write leaves the newest state as it is until the next one is whole.
func TestNewestStateIsNotWrittenOver(t *testing.T) {
	onlyQuick(t)
	v := long(t.TempDir())
	for n := range 10 {
		if err := put(v, "a", n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		before, err := os.ReadFile(newerOf(v.path("h", "s")))
		if err != nil {
			t.Fatal(err)
		}
		if err := put(v, "b", n); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(newerOf(v.path("h", "s")))
		if want := []byte(valueOf("a", n) + `"`); err != nil || !bytes.Contains(before, want) || bytes.Count(after, want) != 2 {
			t.Errorf("%d: %d before, %d after: %v", n, bytes.Count(before, want), bytes.Count(after, want), err)
		}
	}
}

// What was written in place of either file, or left of it, is never taken for a newer state.
func TestWhatIsLeftOfNewerStates(t *testing.T) {
	onlyQuick(t)
	for name, c := range map[string]struct {
		spoil func(newer *os.File, v Vault) error
		want  int
	}{
		"nothing":               {func(*os.File, Vault) error { return nil }, 5},
		"half a state":          {func(f *os.File, _ Vault) error { _, err := f.WriteAt([]byte("half"), startOf(1)+30); return err }, 5},
		"half of the newest":    {func(f *os.File, _ Vault) error { _, err := f.WriteAt([]byte("half"), startOf(0)+30); return err }, 0},
		"half a head":           {func(f *os.File, _ Vault) error { _, err := f.WriteAt([]byte("half"), headSize); return err }, 5},
		"half the newest head":  {func(f *os.File, _ Vault) error { _, err := f.WriteAt([]byte("half"), 0); return err }, 4},
		"it is empty":           {func(f *os.File, _ Vault) error { return f.Truncate(0) }, 0},
		"it ends early":         {func(f *os.File, _ Vault) error { return f.Truncate(startOf(0) + 10) }, 0},
		"an older wsi's update": {func(_ *os.File, v Vault) error { return older(v, 77) }, 77},
	} {
		t.Run(name, func(t *testing.T) {
			v := long(t.TempDir())
			for n := range 6 {
				if err := put(v, "a", n); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.OpenFile(newerOf(v.path("h", "s")), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := c.spoil(f, v); err != nil {
				t.Fatal(err)
			}
			for who, other := range map[string]Vault{"a hook": {Dir: v.Dir}, "a relay": long(v.Dir), "itself": v} {
				if now := got(t, other, "a"); now != c.want && !(who == "itself" && now == 5) {
					t.Errorf("%s sees %d, not %d", who, now, c.want)
				}
			}
			for n := 100; n < 104; n++ {
				if err := put(v, "a", n); err != nil {
					t.Fatal(err)
				}
				if now := got(t, Vault{Dir: v.Dir}, "a"); now != n {
					t.Errorf("then a hook sees %d, not %d", now, n)
				}
			}
		})
	}
}

// older writes a session as a wsi does that knows no newer states.
func older(v Vault, n int) error {
	s := carry.State{Next: 1, Chains: []carry.Chain{{Server: "a", Value: valueOf("a", n)}}}
	return replaceByRename(v.path("h", "s"), encode(s))
}

// A relay sees that the vault was deleted while it ran, and other processes see what it writes then.
func TestDeletedVault(t *testing.T) {
	onlyQuick(t)
	v := long(filepath.Join(t.TempDir(), "vault"))
	for name, remove := range map[string]func() error{
		"all":         func() error { return os.RemoveAll(v.Dir) },
		"the session": func() error { return (Vault{Dir: v.Dir}).Drop("h", "s") },
		"the session, which a hook begins again": func() error {
			return errors.Join((Vault{Dir: v.Dir}).Drop("h", "s"), put(Vault{Dir: v.Dir}, "b", 0))
		},
		"its files": func() error { return errors.Join(os.Remove(v.path("h", "s")), os.Remove(newerOf(v.path("h", "s")))) },
	} {
		for n := range 3 {
			if err := put(v, "a", n); err != nil {
				t.Fatal(err)
			}
		}
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		if now := got(t, v, "a"); now != -1 {
			t.Errorf("%s: it still sees %d", name, now)
		}
		for n := range 4 {
			if err := put(v, "a", 10+n); err != nil {
				t.Fatal(err)
			}
			if err := put(Vault{Dir: v.Dir}, "b", n); err != nil {
				t.Fatal(err)
			}
			if a, b := got(t, Vault{Dir: v.Dir}, "a"), got(t, v, "b"); a != 10+n || b != n {
				t.Errorf("%s: a hook sees %d, the relay %d; want %d and %d", name, a, b, 10+n, n)
			}
		}
	}
}

// A state that is too large for the open file goes into the session's own.
func TestLargeStates(t *testing.T) {
	v := long(t.TempDir())
	for n := range 12 {
		size := []int{100, maxNewer - 300, maxNewer, 3 * maxNewer}[n%4]
		if err := v.Update("h", "s", func(s *carry.State) bool { *s = carry.Stored("s", strings.Repeat("x", size+n)); return true }); err != nil {
			t.Fatal(err)
		}
		for _, other := range []Vault{{Dir: v.Dir}, long(v.Dir), v} {
			if s, err := other.Load("h", "s"); err != nil || len(s.Chains[0].Value) != size+n {
				t.Fatalf("%d: %d bytes, %v", n, len(s.Chains[0].Value), err)
			}
		}
	}
}

// However many sessions a process uses, few files stay open.
func TestFewFilesStayOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("they are counted in /proc")
	}
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	v, before := long(t.TempDir()), open()
	for n := range 300 {
		for range 2 {
			if err := v.Update("h", fmt.Sprint(n), add("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if now := open(); now > before+2*maxRemembered {
		t.Errorf("%d files are open, %d before", now, before)
	}
	if len(v.Memory.sessions) > maxRemembered {
		t.Errorf("%d sessions", len(v.Memory.sessions))
	}
}

var writerFrom = flag.Int("writer.from", -1, "the number of the first value of the process that writes until it is killed")

// TestToWriteOn is a process that writes values and says which of them it has written, until it is killed.
func TestToWriteOn(t *testing.T) {
	if *writerFrom < 0 {
		t.Skip("started by TestKilledWriters")
	}
	v := Vault{Dir: *writerHome}
	if *writerName != "hook" {
		v.Memory = new(Memory)
	}
	for n := *writerFrom; ; n++ {
		if err := put(v, *writerName, n); err != nil {
			t.Fatal(err)
		}
		fmt.Println("wrote", n)
		if n%50 == 0 {
			if err := v.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Two relays and a hook write one session and are killed again and again. What any of them has said to have written, every
// process sees from then on.
func TestKilledWriters(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	end := time.Now().Add(5 * time.Second)
	for _, name := range []string{"one", "two", "hook"} {
		all.Go(func() {
			watcher, next, kills := long(dir), 0, 0
			for time.Now().Before(end) {
				last := killedWriter(t, dir, name, next)
				kills++
				now := got(t, Vault{Dir: dir}, name)
				if seen := got(t, watcher, name); now < last || seen < last {
					t.Errorf("%s wrote %d, a hook sees %d, a relay %d", name, last, now, seen)
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

// Goroutines of one process, and another process, update and load one session at once.
func TestOneMemoryForManyGoroutines(t *testing.T) {
	v := long(t.TempDir())
	other := Vault{Dir: v.Dir}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			user, name := v, fmt.Sprint("g", g)
			if g == 0 {
				user = other
			}
			for n := range 25 {
				if err := put(user, name, n); err != nil {
					t.Error(err)
					return
				}
				if g%4 == 1 {
					if err := user.Flush(); err != nil {
						t.Error(err)
					}
				}
				if mine, theirs := got(t, v, name), got(t, other, name); mine != n || theirs != n {
					t.Errorf("%s wrote %d, it is seen as %d and %d", name, n, mine, theirs)
				}
			}
		})
	}
	all.Wait()
}
