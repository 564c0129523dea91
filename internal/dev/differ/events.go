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
var hookRuns = [][]string{{harnesses.Inject}, {harnesses.Inject, "--join"}, {harnesses.Capture}}

// recorded returns the paths of the recorded events of each harness, by its id.
func recorded() (map[string][]string, error) {
	all := map[string][]string{}
	for _, h := range registry.All() {
		dir := filepath.Join("harnesses", strings.ReplaceAll(h.ID, "-", ""), "testdata")
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return fs.SkipDir
			}
			if err == nil && filepath.Ext(path) == ".json" {
				all[h.ID] = append(all[h.ID], path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// recordedEvents plays each recorded event alone, and all events of a harness in one home, as each harness that has hooks
// would read them.
func recordedEvents() (all []scenario, err error) {
	byHarness, err := recorded()
	if err != nil {
		return nil, err
	}
	for _, h := range registry.All() {
		paths := byHarness[h.ID]
		for _, path := range paths {
			all = append(all, scenario{"event alone", path, func(p *place) { p.alone(path, h.ID) }})
		}
		for _, reader := range append([]setup.Harness{{}}, registry.All()...) {
			if len(paths) > 0 && (reader.Codec != nil || reader.ID == "") {
				all = append(all, scenario{"events in turn", h.ID + " read as " + reader.ID, func(p *place) { p.inTurn(paths, reader.ID) }})
			}
		}
	}
	return all, nil
}

// alone runs every hook on one event, each in a new home.
func (p *place) alone(path, harness string) {
	event, err := os.ReadFile(path)
	p.check(err)
	for _, argv := range hookRuns {
		p.clear()
		p.hook(event, argv, harness)
		p.tree()
	}
}

// inTurn runs every hook on all events in one home, so that captured values are carried.
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
