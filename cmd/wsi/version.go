package main

import (
	"runtime/debug"
	"time"
)

// next is the release that this source is, or will be: the first heading of CHANGELOG.md.
const next = "0.9.0"

// release is set by the linker where packages are made. It is empty in every other build.
var release string

// version returns the release, or else next as a version before it, with the commit if the Go toolchain recorded it.
func version() string {
	if release != "" {
		return release
	}
	info, _ := debug.ReadBuildInfo()
	return built(info)
}

// built names a build from source. The toolchain's own name for it would be v0.0.0 where the clone has no tags, which is
// older than every release.
func built(info *debug.BuildInfo) string {
	if info == nil {
		return next + "-pre"
	}
	if info.Main.Version == "v"+next { // built from the tagged commit without changes
		return next
	}
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	name := next + "-pre"
	if at, err := time.Parse(time.RFC3339, recorded["vcs.time"]); err == nil {
		name += at.UTC().Format("20060102150405") // as make release names a snapshot
	}
	if commit := recorded["vcs.revision"]; commit != "" {
		name += "+" + commit[:min(len(commit), 12)]
		if recorded["vcs.modified"] == "true" {
			name += ".dirty"
		}
	}
	return name
}
