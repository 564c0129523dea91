package vault

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

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
