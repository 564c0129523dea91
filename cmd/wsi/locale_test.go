package main

import "testing"

func TestASCIIOnly(t *testing.T) {
	for _, c := range []struct {
		own, all, ctype, lang, goos string
		want                        bool
	}{
		{"", "", "", "", "linux", false}, // no variable is set
		{"", "", "", "en_US.UTF-8", "linux", false},
		{"", "", "", "de_DE.utf8", "linux", false},
		{"", "C", "", "en_US.UTF-8", "linux", true},
		{"", "", "POSIX", "en_US.UTF-8", "linux", true},
		{"", "", "C.UTF-8", "C", "linux", false},
		{"", "", "", "de_DE.ISO-8859-1", "linux", true},
		{"", "C", "C", "C", "darwin", false},
		{"", "C", "C", "C", "windows", false},
		{"1", "", "", "en_US.UTF-8", "windows", true},
	} {
		getenv := func(name string) string {
			return map[string]string{"WSI_ASCII": c.own, "LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}[name]
		}
		if got := asciiOnly(getenv, c.goos); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
