package setup

import (
	"slices"
	"testing"
)

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1.2.0", "1.1.9", true},
		{"1.10.0", "1.9.0", true},
		{"v2.0.0-rc1", "1.9.0", true},
		{"1.2.0", "1.2.0", false},
		{"1.2.0-5-gabc", "1.2.0", false},
		{"1.1.0", "1.2.0", false},
		{"1.2.0", "devel", false},
		{"", "1.2.0", false},
		{"devel", "1.2.0", false},
		{"abc1234", "0.1.0", false},
		{"12345678", "0.1.0", false}, // a commit
		{"1.2.0", "v0.0.0-20261123115335-5ab2ec46e474", false},
		{"v0.0.0-20261123115335-5ab2ec46e474", "0.0.0", false},
		{"v1.2.1-0.20261123115335-5ab2ec46e474", "1.2.0", true},
	} {
		if got := Newer(c.a, c.b); got != c.want {
			t.Errorf("%q newer than %q: %v", c.a, c.b, got)
		}
	}
	if !slices.Equal(numbers("v1.2.3+dirty"), []int{1, 2, 3}) {
		t.Errorf("v1.2.3+dirty: %v", numbers("v1.2.3+dirty"))
	}
}

func TestFlaw(t *testing.T) {
	between := Flaw{From: "2000.0", Before: "2026.05.20"}
	below := Flaw{Before: "3.7"}
	for _, c := range []struct {
		flaw    Flaw
		version string
		want    bool
	}{
		{between, "2026.05.19-abc", true},
		{between, "2000.1", true},
		{between, "2026.05.20", false},
		{between, "3.6.2", false},
		{below, "3.6.99", true},
		{below, "3.7.0", false},
		{below, "2026.01.01", false},
		{below, "", false},
		{below, "nightly", false},
	} {
		if got := c.flaw.In(c.version); got != c.want {
			t.Errorf("%q in %+v: %v", c.version, c.flaw, got)
		}
	}
}
