package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/hook/carry"
)

func add(value string) func(*carry.State) bool {
	return func(s *carry.State) bool {
		s.Chains = append(s.Chains, carry.Chain{Server: "s", Value: value})
		return true
	}
}

func TestSessionThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write everywhere, and on Windows a folder's mode does not matter")
	}
	v := Vault{Dir: t.TempDir()}
	if err := v.Update("h", "s", func(s *carry.State) bool { *s = carry.Stored("s", "x"); return true }); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(v.path("h", "s"))
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if s, err := v.Load("h", "s"); err == nil || len(s.Chains) > 0 {
		t.Errorf("loaded %v, %v", s, err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestNothingLeavesTheFolder(t *testing.T) {
	home := t.TempDir()
	v := Vault{Dir: filepath.Join(home, "vault")}
	for _, id := range []string{"../../x", "/etc/passwd", "a\x00b", strings.Repeat("long", 1000), "CON", "a\nb"} {
		if err := v.Update("h", id, add("x")); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		if s, err := v.Load("h", id); err != nil || len(s.Chains) != 1 {
			t.Errorf("%q: %v %v", id, s, err)
		}
		if s, err := v.Load("other", id); err != nil || len(s.Chains) != 0 {
			t.Errorf("%q of another harness: %v %v", id, s, err)
		}
	}
	if left, _ := os.ReadDir(home); len(left) != 1 {
		t.Errorf("next to the vault: %v", left)
	}
	if value, err := CurrentIn(home).Load(); value != "" || err != nil {
		t.Errorf("no current value: %q %v", value, err)
	}
	if _, err := (Vault{}).Load("h", "s"); !errors.Is(err, errNowhere) {
		t.Errorf("a vault without a folder: %v", err)
	}
}

func TestUnusedSessionsArePruned(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	dir := filepath.Dir(v.path("h", "new"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const files = 40
	for n := range files {
		path := filepath.Join(dir, fmt.Sprint("old", n, ".json"))
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		age := 31 * 24 * time.Hour
		if n == 0 {
			age = 29 * 24 * time.Hour
		}
		if err := os.Chtimes(path, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Update("h", "new", add("x")); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "old*"))
	if err != nil || len(left) != files-pruneMax {
		t.Errorf("%d old files left of %d, want %d fewer (%v)", len(left), files, pruneMax, err)
	}
	for range 5 {
		PruneFolder(dir, unused, pruneMax)
	}
	left, _ = filepath.Glob(filepath.Join(dir, "*.json"))
	if len(left) != 2 {
		t.Errorf("in the end %v, want the new session and the one used 29 days ago", left)
	}
}

// Of the others the one that changed last comes first, and no more come than are asked for. A change may ask for
// them.
func TestOthers(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	for age, session := range []string{"own", "a", "b", "c"} {
		if err := v.Update("h", session, add(session)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(v.path("h", session), time.Time{}, time.Now().Add(-time.Duration(age)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err := v.Update("h", "own", func(*carry.State) bool {
		for _, s := range v.Others("h", "own", 2) {
			got = append(got, s.Chains[0].Value)
		}
		return false
	})
	if want := []string{"a", "b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}

// A lock that another process holds is waited for so long and no longer, by many at once. It stops only its folder.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	v := Vault{Dir: t.TempDir()}
	if err := errors.Join(v.Update("h", "s", add("x")), v.Update("other", "s", add("x"))); err != nil {
		t.Fatal(err)
	}
	unlock, err := v.lock(filepath.Dir(v.path("h", "s")))
	if err != nil {
		t.Fatal(err)
	}
	begin, over := time.Now(), make(chan error)
	for range 4 {
		go func() {
			var waited time.Duration
			err := Vault{v.Dir, &waited}.Update("h", "s", add("y"))
			if waited < lockWait {
				err = fmt.Errorf("it waited for %v", waited)
			}
			over <- err
		}()
	}
	time.Sleep(lockWait / 10)
	if err := v.Update("other", "s", add("x")); err != nil || time.Since(begin) > lockWait/2 {
		t.Errorf("the other folder: after %s, %v", time.Since(begin), err)
	}
	for range 4 {
		if err := <-over; !errors.Is(err, errHeld) {
			t.Error(err)
		}
	}
	if took := time.Since(begin); took > 2*lockWait {
		t.Errorf("they waited for %s", took)
	}
	// A caller that has given up must not get the lock later, unnoticed: a relay runs for long.
	unlock()
	time.Sleep(50 * time.Millisecond)
	if err := v.Update("h", "s", add("z")); err != nil {
		t.Errorf("the lock is free again: %v", err)
	}
}

func TestInvalidSessions(t *testing.T) {
	stored := carry.Stored("s", "v")
	stored.Notes = []carry.Note{{Server: "s", ID: "i", Files: []string{"/f \"é\""}, From: []int64{1 << 40, -1}}}
	encoded, err := json.Marshal(file{version, stored})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := decode(encoded); err != nil || !reflect.DeepEqual(s, stored) {
		t.Errorf("read back: %+v, %v", s, err)
	}
	raw := string(encoded)
	for i := range raw {
		if s, err := decode([]byte(raw[:i])); !errors.Is(err, errCorrupt) || !reflect.DeepEqual(s, carry.State{}) {
			t.Errorf("the first %d bytes: %v, %v", i, s, err)
		}
	}
	for content, want := range map[string]error{
		`null`: errCorrupt, `[]`: errCorrupt, `{}`: errCorrupt, `{"version":0}`: errCorrupt, `{"version":"1"}`: errCorrupt,
		`{"version":1.5}`: errCorrupt, raw + "x": errCorrupt, `{"version":1,"next":"2"}`: errCorrupt,
		`{"version":1,"chains":{}}`: errCorrupt, `{"version":1,"chains":[1]}`: errCorrupt,
		`{"version":1,"uses":[{"unsure":1}]}`: errCorrupt, `{"version":1,"notes":[{"from":["1"]}]}`: errCorrupt,
		`{"version":2,"chains":"another form"}`: ErrNewer,
		`{"version":1,"new":[],"chains":null}`:  nil,
	} {
		if _, err := decode([]byte(content)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", content, err, want)
		}
	}
}

func TestDroppedSessionsLeaveNothing(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	if err := errors.Join(v.Update("h", "s", add("x")), v.Update("h", "s", add("y")), v.Drop("h", "s")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(v.path("h", "s")))
	if err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("left: %v, %v", left, err)
	}
}
