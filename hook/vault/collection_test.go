package vault

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestCollectionsAreApart(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	all := []Collection{
		{Server: "s", Rule: "r", Key: "A"},
		{Server: "s", Rule: "r", Key: "B"},
		{Server: "t", Rule: "r", Key: "A"},
		{Server: "s", Rule: "q", Key: "A"},
		{Server: "s", Rule: "r", Key: "A", Owner: "o"},
	}
	for i, c := range all {
		for range 2 { // what is there twice counts once
			for _, value := range []string{fmt.Sprint(i), "x"} {
				if _, err := v.Add(c, Kept{Value: value}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for i, c := range all {
		if got, err := v.Collected(c); err != nil || !slices.Equal(got, []string{fmt.Sprint(i), "x"}) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if got, err := v.Collected(Collection{Server: "unknown"}); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCollectionIsBounded(t *testing.T) {
	t.Parallel()
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s"}
	value := func(n int) string { return fmt.Sprintf("%06d", n) + strings.Repeat("v", 250<<10) }
	const written = 40 // 10 MB
	dropped := 0
	for n := range written {
		gone, err := v.Add(c, Kept{int64(n), value(n)})
		if err != nil {
			t.Fatal(err)
		}
		dropped += gone
	}
	got, err := v.Collected(c)
	if err != nil || dropped == 0 || len(got)+dropped != written || got[len(got)-1] != value(written-1) || got[0] != value(dropped) {
		t.Errorf("%d values, %d dropped, %v", len(got), dropped, err)
	}
	if info, err := os.Stat(v.collection(c)); err != nil || info.Size() > maxCollection {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

// A value whose result was found late has the place of its result, also when it makes room. What came at the same time stays as it is.
func TestCollectionIsInOrder(t *testing.T) {
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s"}
	add := func(came int64, value string) (dropped int) {
		dropped, err := v.Add(c, Kept{came, value})
		if err != nil {
			t.Fatal(err)
		}
		return dropped
	}
	for _, k := range []Kept{{3, "c"}, {1, "b"}, {3, "d"}, {1, "a"}, {4, "b"}} {
		add(k.Came, k.Value)
	}
	if got, err := v.Collected(c); err != nil || !slices.Equal(got, []string{"b", "a", "c", "d"}) {
		t.Errorf("%q, %v", got, err)
	}
	long := strings.Repeat("v", maxCollection/2)
	if add(5, long) != 0 || add(2, long+"2") != 3 {
		t.Error("what came before the late value was not dropped")
	}
	if got, err := v.Collected(c); err != nil || !slices.Equal(got, []string{"c", "d", long}) {
		t.Errorf("%d values, %v", len(got), err)
	}
}

// A crash may cut the last line, and a full disk, too.
func TestCollectionSurvivesACutLine(t *testing.T) {
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s", Key: "k"}
	for _, value := range []string{"one", "two"} {
		if _, err := v.Add(c, Kept{1, value}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(v.collection(c))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(v.collection(c), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Add(c, Kept{1, "three"}); err != nil {
			t.Fatal(err)
		}
		got, err := v.Collected(c)
		if err != nil || got[len(got)-1] != "three" || slices.ContainsFunc(got, func(s string) bool { return !slices.Contains([]string{"one", "two", "three"}, s) }) {
			t.Fatalf("cut at %d: %q, %v", cut, got, err)
		}
	}
}

func TestManyAddToOneCollection(t *testing.T) {
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s"}
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			for k := range 5 {
				if _, err := v.Add(c, Kept{1, fmt.Sprint(n, k)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, err := v.Collected(c); err != nil || len(got) != 100 {
		t.Errorf("%d values, %v", len(got), err)
	}
}
