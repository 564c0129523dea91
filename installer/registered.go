package installer

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"

	"wsi/harnesses"
	"wsi/installer/edit"
)

// Fronted is a server with wsi in front of it, as a file registers it.
type Fronted struct {
	edit.Server
	Path string // of the file
}

// Fronts returns the servers of a scope that have wsi in front of them for this harness. A file that cannot be read has
// none that anybody could start.
func Fronts(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) []Fronted {
	var all []Fronted
	for _, file := range serverFiles(env, h, scope) {
		content, err := env.ReadFile(file.Path)
		if err != nil || !mentionsRelay(content) {
			continue
		}
		found, err := edit.Servers(file, content)
		if err != nil {
			continue
		}
		for _, s := range found {
			if s.Wrapped && !s.Others {
				all = append(all, Fronted{s, file.Path})
			}
		}
	}
	return all
}

// mentionsRelay is quick about files in which wsi is in front of nothing: Claude Code's grows to megabytes.
func mentionsRelay(content []byte) bool {
	return bytes.Contains(content, []byte(harnesses.Relay)) && bytes.Contains(content, []byte("--server"))
}

// held is what a harness has of wsi's in a scope.
type held struct {
	sources []Source
	fronts  []Fronted
}

func holds(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) held {
	return held{Sources(env, h, scope), Fronts(env, h, scope)}
}

// servers are those for which wsi is registered.
func (x held) servers() []string {
	var servers []string
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			servers = addUnique(servers, hook.Parsed.Servers...)
		}
	}
	for _, f := range x.fronts {
		servers = addUnique(servers, f.Name)
	}
	return servers
}

// as says whose rules the servers have for which wsi is registered, as in harnesses.Program.
func (x held) as() map[string]string {
	as := map[string]string{}
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			maps.Copy(as, hook.Parsed.As)
		}
	}
	for _, f := range x.fronts {
		if f.Front.As != "" {
			as[f.Name] = f.Front.As
		}
	}
	return as
}

// programs are the paths of the wsi that is registered.
func (x held) programs() []string {
	var paths []string
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			paths = addUnique(paths, hook.Parsed.Path)
		}
	}
	for _, f := range x.fronts {
		paths = addUnique(paths, f.Front.Path)
	}
	return paths
}

// way is how the harness is wired now, "" if it is not.
func (x held) way() harnesses.Mode {
	way := harnesses.Mode("")
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			if hook.Parsed.Join {
				return harnesses.ByJoin
			}
			way = harnesses.ByHooks
		}
	}
	if way == "" && len(x.fronts) > 0 {
		way = harnesses.ByRelay
	}
	return way
}

// way is how the harness is to be wired: as was asked for, else as it is now, else as is usual.
func (o Options) way(h harnesses.Harness, now held) (harnesses.Mode, error) {
	o.Mode = cmp.Or(o.Modes[h.ID], o.Mode)
	if _, ok := h.Choice(now.way()); o.Mode == "" && ok {
		return now.way(), nil
	}
	if o.Mode == "" {
		return h.Usual(), nil
	}
	if _, ok := h.Choice(o.Mode); !ok {
		return "", Refusal{
			Err:  fmt.Errorf("it cannot be wired by %s, only by %s", o.Mode, h.WayNames()),
			Hint: "leave it out with --harness, or --wiring " + string(h.Usual()),
		}
	}
	return o.Mode, nil
}
