package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// hookRuns are the command lines of hooks, without --harness.
var hookRuns = [][]string{{harnesses.Inject}, {harnesses.Inject, "--relay"}, {harnesses.Capture}}

// recordedEvents plays all events of a harness in one home, so that captured values are carried, as each harness that has hooks
// would read them.
func recordedEvents() (all []scenario, err error) {
	for _, h := range registry.All() {
		var paths []string
		dir := filepath.Join("harnesses", strings.ReplaceAll(h.ID, "-", ""), "testdata")
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return fs.SkipDir
			}
			if err == nil && filepath.Ext(path) == ".json" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, reader := range append([]setup.Harness{{}}, registry.All()...) {
			if len(paths) > 0 && (reader.Codec != nil || reader.ID == "") {
				all = append(all, scenario{"recorded events", h.ID + " read as " + reader.ID, func(p *place) { p.inTurn(paths, reader.ID) }})
			}
		}
	}
	return all, nil
}

// inTurn runs every hook on all events in one home.
func (p *place) inTurn(paths []string, harness string) {
	for _, path := range paths {
		event, err := os.ReadFile(path)
		p.check(err)
		for _, argv := range hookRuns {
			p.hook(event, argv, harness)
		}
	}
	p.tree()
}

// hook runs a hook and returns its answer.
func (p *place) hook(event []byte, argv []string, harness string) []byte {
	if harness != "" {
		argv = slices.Concat(argv, []string{"--harness", harness})
	}
	return p.wsi(event, argv...)
}
