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
			if _, err := v.Add(c, []string{fmt.Sprint(i), "x"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, c := range all {
		if got, err := v.Collected(c); err != nil || !slices.Equal(got, []string{fmt.Sprint(i), "x"}) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if held, err := v.Collections(); err != nil || len(held) != len(all) || held[0].Values != 2 {
		t.Errorf("%+v, %v", held, err)
	}
	if got, err := v.Collected(Collection{Server: "unknown"}); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCollectionIsBounded(t *testing.T) {
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s"}
	value := func(n int) string { return fmt.Sprintf("%06d", n) + strings.Repeat("v", 250<<10) }
	const written = 40 // 10 MB
	dropped := 0
	for n := range written {
		gone, err := v.Add(c, []string{value(n)})
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

// A crash may cut the last line, and a full disk, too.
func TestCollectionSurvivesACutLine(t *testing.T) {
	v, c := Vault{Dir: t.TempDir()}, Collection{Server: "s", Key: "k"}
	for _, value := range []string{"one", "two"} {
		if _, err := v.Add(c, []string{value}); err != nil {
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
		if _, err := v.Add(c, []string{"three"}); err != nil {
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
				if _, err := v.Add(c, []string{fmt.Sprint(n, k)}); err != nil {
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
