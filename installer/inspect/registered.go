package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
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
func WrappedServers(env setup.Env, h setup.Harness, scope setup.Scope) (all []WrappedServer) {
	for _, file := range ServerFiles(env, h, scope) {
		content, _ := env.ReadFile(file.Path)
		found, _ := RelaysIn(file, content)
		for _, s := range found {
			if !s.Others {
				all = append(all, WrappedServer{s, file.Path})
			}
		}
	}
	return all
}

// RelaysIn returns the servers of a file that run through wsi relay, also for another harness.
func RelaysIn(file setup.ServerFile, content []byte) ([]edit.Server, error) {
	if !MentionsRelay(content) {
		return nil, nil
	}
	found, err := edit.Servers(file, content)
	if err != nil {
		return nil, err
	}
	return lists.Filter(found, func(s edit.Server) bool { return s.Wrapped }), nil
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
	for _, hook := range x.hooks() {
		servers = append(servers, hook.Parsed.Servers...)
	}
	return lists.AddUnique(nil, append(servers, lists.Map(x.Relays, func(f WrappedServer) string { return f.Name })...)...)
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
	paths := lists.Map(x.hooks(), func(h setup.Hook) string { return h.Parsed.Path })
	return lists.AddUnique(nil, append(paths, lists.Map(x.Relays, func(f WrappedServer) string { return f.Relay.Path })...)...)
}

// Mode returns the mode in which wsi is registered, "" if it is not.
func (x Registration) Mode() setup.Mode {
	hooks := x.hooks()
	notes := slices.ContainsFunc(hooks, func(h setup.Hook) bool { return h.Parsed.Relay })
	injects := slices.ContainsFunc(hooks, func(h setup.Hook) bool { return h.Parsed.Verb == harnesses.Inject })
	switch {
	case notes || len(x.Relays) > 0 && !injects:
		return setup.ByRelay
	case len(hooks) > 0:
		return setup.ByHooks
	}
	return ""
}

// hooks returns wsi's hooks in all sources.
func (x Registration) hooks() (all []setup.Hook) {
	for _, s := range x.Sources {
		all = append(all, s.Mine()...)
	}
	return all
}

// Exposed returns the names of the headers that a relay sends to another machine without encryption.
func Exposed(f setup.RelayCommand) (names []string) {
	if !endpoint.Unencrypted(f.URL) {
		return nil
	}
	return lists.AddUnique(nil, lists.Map(f.Headers, func(h endpoint.HeaderVar) string { return h.Name })...)
}

// Two harnesses can register their servers in one file, if one path links to the other. A relay's command line
// names the harness that starts it, so it fits only that one; setup refuses the other.

// ServerFiles returns the files in which a harness registers its servers. A relay in them belongs to another harness if
// that harness registers its servers in the same file; else its line was copied.
func ServerFiles(env setup.Env, h setup.Harness, scope setup.Scope) []setup.ServerFile {
	if h.Registers == nil {
		return nil
	}
	files := h.Registers(InScope(env, h, scope), scope)
	for i := range files {
		files[i].Others = OthersIn(env, h, files[i].Path)
	}
	return files
}

// OthersIn returns a function that reports whether a relay in a file belongs to another harness.
func OthersIn(env setup.Env, h setup.Harness, path string) func(setup.RelayCommand) bool {
	return func(f setup.RelayCommand) bool {
		if f.Harness == h.ID {
			return false
		}
		other, ok := registry.Get(f.Harness)
		_, in := ServersIn(env, other, path)
		return ok && in
	}
}

// ServersIn reports whether a harness registers servers in a file, and in which scope.
func ServersIn(env setup.Env, h setup.Harness, path string) (setup.Scope, bool) {
	for _, scope := range []setup.Scope{setup.User, setup.Project} {
		if h.Registers == nil {
			break
		}
		for _, file := range h.Registers(InScope(env, h, scope), scope) {
			if Same(env, file.Path, path) {
				return scope, true
			}
		}
	}
	return "", false
}

// Offered returns all without the harnesses for which setup has nothing to do: those without hooks that have none of
// the servers. servers are the requested names; ruled reports whether another server counts too, and may be nil. A
// harness with unreadable registrations is kept if one of its files mentions a name or a relay, or recorded reports it.
func Offered(env setup.Env, all []setup.Harness, servers []string, ruled func(server string) bool, recorded func(harness string) bool) []setup.Harness {
	return slices.DeleteFunc(slices.Clone(all), func(h setup.Harness) bool {
		if !h.RelayOnly() {
			return false
		}
		p, err := h.Find(env) // its error is reported elsewhere
		known := slices.ContainsFunc(p.Servers, func(s setup.Server) bool {
			_, _, wrapped := setup.ParseRelayCommand(s.Command)
			return wrapped || slices.Contains(servers, s.Name) || LikelyServer(s) || ruled != nil && ruled(s.Name)
		})
		return !known && (err == nil || !named(env, h, servers) && !recorded(h.ID))
	})
}

// named reports whether the server files of a harness mention one of the servers or a relay.
func named(env setup.Env, h setup.Harness, servers []string) bool {
	for _, scope := range []setup.Scope{setup.User, setup.Project} {
		for _, file := range ServerFiles(env, h, scope) {
			content, err := env.ReadFile(file.Path)
			mentions := func(name string) bool { return bytes.Contains(content, []byte(name)) }
			if err == nil && (MentionsRelay(content) || mentions(harnesses.DefaultServer) || slices.ContainsFunc(servers, mentions)) {
				return true
			}
		}
	}
	return false
}

// Offer returns the names of the MCP servers that harnesses are configured with, without duplicates: those
// that look like workflow-server first, disabled ones last.
func Offer(all ...setup.Presence) []string {
	var by [3][]string
	for _, p := range all {
		for _, s := range p.Servers {
			i := 1
			if s.Disabled {
				i = 2
			} else if LikelyServer(s) {
				i = 0
			}
			by[i] = append(by[i], s.Name)
		}
	}
	return lists.AddUnique(nil, slices.Concat(by[:]...)...)
}

// Suggest returns the name of the only server that looks like workflow-server but has another name, "" if none or several do.
func Suggest(servers []setup.Server) string {
	names := lists.Map(lists.Filter(servers, LikelyServer), func(s setup.Server) string { return s.Name })
	names = lists.AddUnique(nil, names...)
	if len(names) != 1 || names[0] == harnesses.DefaultServer {
		return ""
	}
	return names[0]
}

// HasOther reports whether a harness has a server of this name that does not look like a workflow-server.
func HasOther(env setup.Env, h setup.Harness, name string) bool {
	p, _ := h.Find(env) // its error is reported elsewhere
	return slices.ContainsFunc(p.Servers, func(s setup.Server) bool { return s.Name == name && !LikelyServer(s) })
}

// LikelyServer reports whether a server's name, command or address contains the name of workflow-server.
func LikelyServer(s setup.Server) bool {
	return slices.ContainsFunc(append([]string{s.Name, s.URL}, s.Command...), func(text string) bool {
		text = strings.ReplaceAll(strings.ToLower(text), "_", "-")
		return strings.Contains(text, harnesses.DefaultServer)
	})
}

// Bypass is a registration that a harness starts without wsi relay.
type Bypass struct {
	Text, Fix string
	Certain   bool // the harness uses it, however it is started
}

// Bypasses returns the registrations of a server without wsi relay. found are those that the harness has. If it is only one, the
// harness uses that one; else it is not known which of them it uses.
func Bypasses(env setup.Env, h setup.Harness, found []setup.Server, name string) (all []Bypass) {
	found = lists.Filter(found, func(s setup.Server) bool { return s.Name == name && !s.Disabled && (s.URL != "" || len(s.Command) > 0) })
	usual := lists.Filter(found, func(s setup.Server) bool { return s.With == "" && s.Blocked == "" })
	for _, s := range found {
		if _, _, wrapped := setup.ParseRelayCommand(s.Command); wrapped {
			continue
		}
		b := Bypass{Fix: "remove that entry", Certain: s.With == "" && s.Blocked == "" && len(usual) == 1}
		if who := cmp.Or(s.With, h.Name); s.With != "" || b.Certain {
			b.Text = fmt.Sprintf("%s takes the server %s from %s, which has no wsi relay: nothing is carried", who, s.Name, s.File)
		} else {
			b.Text = fmt.Sprintf("%s is also registered in %s, without wsi relay: if %s uses that one, nothing is carried", s.Name, s.File, who)
		}
		if scope, known := ServersIn(env, h, s.File); known {
			b.Fix += ", or run wsi setup with --scope " + string(scope)
		}
		all = append(all, b)
	}
	return all
}
