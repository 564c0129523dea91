package inspect

import (
	"bytes"
	"maps"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
	"wsi/internal/lists"
)

// WrappedServer is a registered server that runs through wsi relay.
type WrappedServer struct {
	edit.Server
	Path string // of the file
}

// WrappedServers returns the servers of a scope that this harness runs through wsi relay. A file that cannot be read is skipped:
// the harness cannot start anything from it either.
func WrappedServers(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) []WrappedServer {
	var all []WrappedServer
	for _, file := range ServerFiles(env, h, scope) {
		content, err := env.ReadFile(file.Path)
		if err != nil || !MentionsRelay(content) {
			continue
		}
		found, err := edit.Servers(file, content)
		if err != nil {
			continue
		}
		for _, s := range found {
			if s.Wrapped && !s.Others {
				all = append(all, WrappedServer{s, file.Path})
			}
		}
	}
	return all
}

// MentionsRelay reports whether content may run wsi relay. It saves parsing: Claude Code's file grows to megabytes.
func MentionsRelay(content []byte) bool {
	return bytes.Contains(content, []byte(harnesses.Relay)) && bytes.Contains(content, []byte("--server"))
}

// Registration is how wsi is registered with a harness in a scope.
type Registration struct {
	Sources []Source
	Relays  []WrappedServer
}

// Registered returns the registration of wsi with a harness.
func Registered(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) Registration {
	return Registration{Sources(env, h, scope), WrappedServers(env, h, scope)}
}

// Servers returns the servers for which wsi is registered.
func (x Registration) Servers() []string {
	var servers []string
	if x.Mode() != harnesses.ByRelay {
		for _, hook := range x.hooks() {
			servers = lists.AddUnique(servers, hook.Parsed.Servers...)
		}
	}
	for _, f := range x.Relays {
		servers = lists.AddUnique(servers, f.Name)
	}
	return servers
}

// Handles returns the servers whose ids are kept.
func (x Registration) Handles() (servers []string) {
	for _, hook := range x.hooks() {
		servers = lists.AddUnique(servers, hook.Parsed.Handles...)
	}
	for _, f := range x.Relays {
		if f.Relay.Handles {
			servers = lists.AddUnique(servers, f.Name)
		}
	}
	return servers
}

// Rules maps the registered servers to the servers whose rules they use, as in harnesses.Program.
func (x Registration) Rules() map[string]string {
	as := map[string]string{}
	for _, hook := range x.hooks() {
		maps.Copy(as, hook.Parsed.As)
	}
	for _, f := range x.Relays {
		if f.Relay.As != "" {
			as[f.Name] = f.Relay.As
		}
	}
	return as
}

// Programs returns the paths of the registered wsi.
func (x Registration) Programs() []string {
	var paths []string
	for _, hook := range x.hooks() {
		paths = lists.AddUnique(paths, hook.Parsed.Path)
	}
	for _, f := range x.Relays {
		paths = lists.AddUnique(paths, f.Relay.Path)
	}
	return paths
}

// Mode returns the mode in which wsi is registered, "" if it is not. Hooks next to a relay are only those that say when a
// conversation was compacted, unless one of them runs before calls.
func (x Registration) Mode() harnesses.Mode {
	hooks := x.hooks()
	has := func(one func(harnesses.Registered) bool) bool {
		return slices.ContainsFunc(hooks, func(h Hook) bool { return one(h.Parsed) })
	}
	switch {
	case has(func(said harnesses.Registered) bool { return said.Join }):
		return harnesses.ByJoin
	case len(x.Relays) > 0 && !has(func(said harnesses.Registered) bool { return said.Verb == harnesses.Inject }):
		return harnesses.ByRelay
	case len(hooks) > 0:
		return harnesses.ByHooks
	}
	return ""
}

// hooks returns wsi's hooks in all sources.
func (x Registration) hooks() (all []Hook) {
	for _, s := range x.Sources {
		all = append(all, s.Mine()...)
	}
	return all
}
