package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"wsi/harnesses/setup"
)

func TestNextIsTheFirstHeadingOfTheChangelog(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if first := regexp.MustCompile(`(?m)^## (.*)$`).FindSubmatch(changes); first == nil || string(first[1]) != next {
		t.Errorf("next is %s, and the first heading is %q", next, first)
	}
}

// A build from source is never older than the release that its source will be.
func TestVersionOfABuildFromSource(t *testing.T) {
	commit := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs.revision", Value: "5ab2ec46e4746678a8f955358b6c49fd87134a67"},
			{Key: "vcs.time", Value: "2026-11-23T11:53:35Z"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"no build information": {nil, next + "-pre"},
		"no version control":   {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, next + "-pre"},
		"no tag":               {&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261123115335-5ab2ec46e474"}, Settings: commit("false")}, next + "-pre20261123115335+5ab2ec46e474"},
		"after a tag":          {&debug.BuildInfo{Main: debug.Module{Version: "v0.8.1-0.20261123115335-5ab2ec46e474+dirty"}, Settings: commit("true")}, next + "-pre20261123115335+5ab2ec46e474.dirty"},
		"the tag":              {&debug.BuildInfo{Main: debug.Module{Version: "v" + next}, Settings: commit("false")}, next},
		"the tag, changed":     {&debug.BuildInfo{Main: debug.Module{Version: "v" + next + "+dirty"}, Settings: commit("true")}, next + "-pre20261123115335+5ab2ec46e474.dirty"},
	} {
		got := built(c.info)
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if setup.Newer(next, got) || !setup.Newer(got, "0.0.1") {
			t.Errorf("%s: %s is compared wrongly with %s", name, got, next)
		}
	}
}
