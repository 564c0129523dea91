package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/carry"
)

// A field that is new in package carry and forgotten in clone would be shared by two goroutines.
func TestCopiesShareNothing(t *testing.T) {
	s := full()
	c := clone(s)
	if diff := cmp.Diff(s, c); diff != "" {
		t.Fatalf("a copy (+) is another one:\n%s", diff)
	}
	if field := shared(reflect.ValueOf(s), reflect.ValueOf(c)); field != "" {
		t.Errorf("%s is shared", field)
	}
}

// shared returns a field whose elements two values have in common, "" if there is none.
func shared(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if field := shared(a.Field(i), b.Field(i)); field != "" {
				return a.Type().Field(i).Name + "." + field
			}
		}
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return "itself"
		}
		for i := range a.Len() {
			if field := shared(a.Index(i), b.Index(i)); field != "" {
				return field
			}
		}
	case reflect.Map, reflect.Pointer, reflect.Chan, reflect.Func, reflect.Interface:
		return "a " + a.Kind().String()
	}
	return ""
}

// A process with a Memory sees what another process has made of it, however the file was replaced, and
// what was written to it in its place.
func TestWhatOthersWriteIsSeen(t *testing.T) {
	dir := t.TempDir()
	long, other := Vault{Dir: dir, Memory: new(Memory)}, Vault{Dir: dir}
	value := func(n int) carry.State { return carry.Stored("s", fmt.Sprintf("%040d", n)) } // of one size
	put := func(v Vault, n int) {
		t.Helper()
		if err := v.Update("h", "s", func(s *carry.State) bool { *s = value(n); return true }); err != nil {
			t.Fatal(err)
		}
	}
	sees := func(n int) {
		t.Helper()
		got, err := long.Load("h", "s")
		if diff := cmp.Diff(value(n), got); diff != "" || err != nil {
			t.Fatalf("it does not see %d: %v\n%s", n, err, diff)
		}
		err = long.Update("h", "s", func(s *carry.State) bool {
			if diff := cmp.Diff(value(n), *s); diff != "" {
				t.Errorf("an update does not see %d:\n%s", n, diff)
			}
			s.Chains[0].Seen[0], s.Chains[0].Value = "changed", "changed" // and not kept
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(long, 0)
	for n := 1; n < 60; n += 3 {
		put(other, n)
		sees(n)
		sees(n)
		put(long, n+1)
		sees(n + 1)
		put(other, n+2)
		put(other, n+1)
		put(other, n+2)
		sees(n + 2)
	}
	if err := os.WriteFile(long.path("h", "s"), encode(value(77)), 0o600); err != nil {
		t.Fatal(err)
	}
	sees(77)
	if err := other.Drop("h", "s"); err != nil {
		t.Fatal(err)
	}
	if s, err := long.Load("h", "s"); err != nil || len(s.Chains) > 0 {
		t.Errorf("what was dropped is remembered: %v, %v", s, err)
	}
	for n := range 100 {
		if err := long.Update("h", fmt.Sprint(n), add("x")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(long.Memory.sessions); n > maxRemembered {
		t.Errorf("%d sessions are remembered", n)
	}
}

// A memory without files keeps what a folder would, that only the caller can change, and writes nothing.
func TestAMemoryWithoutFilesIsAsAFolder(t *testing.T) {
	files, memory := Vault{Dir: t.TempDir()}, Vault{Dir: filepath.Join(t.TempDir(), "none"), Memory: &Memory{Only: true}}
	r := rand.New(rand.NewPCG(1, 2))
	both := func(what string, of func(v Vault) any) {
		t.Helper()
		if diff := cmp.Diff(of(files), of(memory), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s (-files +memory):\n%s", what, diff)
		}
	}
	load := func(session string) func(v Vault) any {
		return func(v Vault) any {
			s, err := v.Load("h", session)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.Chains { // is the caller's
				s.Chains[i].Value += "."
			}
			return s
		}
	}
	for i := range 300 {
		session, value, keep := fmt.Sprint(r.IntN(maxRemembered+8)), fmt.Sprint(i), r.IntN(4) > 0
		switch r.IntN(8) {
		case 0:
			both("drop", func(v Vault) any { return v.Drop("h", session) })
		case 1:
			both("others", func(v Vault) any {
				var values []string
				for _, s := range v.Others("h", session, 1000) {
					for _, c := range s.Chains {
						values = append(values, c.Value)
					}
				}
				slices.Sort(values)
				return values
			})
		default:
			both("update", func(v Vault) any {
				return v.Update("h", session, func(s *carry.State) bool { return add(value)(s) && keep })
			})
		}
		both("load", load(session))
	}
	if entries, err := os.ReadDir(memory.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it writes: %v, %v", entries, err)
	}
}

// Of the others the one comes first that changed last, and no more come than are asked for. A change may ask
// for them.
func TestOthersOfAMemoryWithoutFiles(t *testing.T) {
	v := Vault{Dir: "/", Memory: &Memory{Only: true}}
	for _, session := range []string{"a", "b", "c", "own", "a"} {
		if err := v.Update("h", session, add(session)); err != nil {
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
	if want := []string{"a", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}

// Goroutines that change a session at once do not lose each other's changes.
func TestAMemoryWithoutFilesAtOnce(t *testing.T) {
	v := Vault{Dir: "/", Memory: &Memory{Only: true}}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				if err := v.Update("h", "s", add(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
				if _, err := v.Load("h", "s"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if s, err := v.Load("h", "s"); err != nil || len(s.Chains) != 400 {
		t.Errorf("%d changes: %v", len(s.Chains), err)
	}
}
