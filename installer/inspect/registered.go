package inspect

import (
	"bytes"
	"maps"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/endpoint"
	"wsi/internal/lists"
)

// WrappedServer is a registered server that runs through wsi relay.
type WrappedServer struct {
	edit.Server
	Path string // of the file
}

// WrappedServers returns the servers of a scope that this harness runs through wsi relay. A file that cannot be read is skipped:
// the harness cannot start anything from it either.
func WrappedServers(env setup.Env, h setup.Harness, scope setup.Scope) []WrappedServer {
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
func Registered(env setup.Env, h setup.Harness, scope setup.Scope) Registration {
	return Registration{Sources(env, h, scope), WrappedServers(env, h, scope)}
}

// Servers returns the servers for which wsi is registered.
func (x Registration) Servers() []string {
	var servers []string
	if x.Mode() != setup.ByRelay {
		for _, hook := range x.hooks() {
			servers = append(servers, hook.Parsed.Servers...)
		}
	}
	return lists.AddUnique(nil, append(servers, lists.Map(x.Relays, func(f WrappedServer) string { return f.Name })...)...)
}

// Older reports whether an older wsi registered something to keep the ids of servers.
func (x Registration) Older() bool {
	return slices.ContainsFunc(x.hooks(), func(h Hook) bool { return len(h.Parsed.Kept) > 0 }) ||
		slices.ContainsFunc(x.Relays, func(f WrappedServer) bool { return f.Relay.Kept })
}

// Rules maps the registered servers to the servers whose rules they use, as in setup.Program.
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
	paths := lists.Map(x.hooks(), func(h Hook) string { return h.Parsed.Path })
	return lists.AddUnique(nil, append(paths, lists.Map(x.Relays, func(f WrappedServer) string { return f.Relay.Path })...)...)
}

// Mode returns the mode in which wsi is registered, "" if it is not. If none of the hooks next to a relay runs before calls,
// an older wsi registered them to keep ids.
func (x Registration) Mode() setup.Mode {
	hooks := x.hooks()
	has := func(one func(setup.Registered) bool) bool {
		return slices.ContainsFunc(hooks, func(h Hook) bool { return one(h.Parsed) })
	}
	switch {
	case has(func(said setup.Registered) bool { return said.Join }):
		return setup.ByJoin
	case len(x.Relays) > 0 && !has(func(said setup.Registered) bool { return said.Verb == harnesses.Inject }):
		return setup.ByRelay
	case len(hooks) > 0:
		return setup.ByHooks
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

// Exposed returns the names of the headers that a relay sends to another machine without encryption.
func Exposed(f setup.RelayCommand) (names []string) {
	if endpoint.Unencrypted(f.URL) {
		for _, h := range f.Headers {
			names = lists.AddUnique(names, h.Name)
		}
	}
	return names
}
