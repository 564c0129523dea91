package installer

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"

	"wsi/harnesses"
	"wsi/installer/edit"
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
				all = append(all, WrappedServer{s, file.Path})
			}
		}
	}
	return all
}

// mentionsRelay reports whether content may run wsi relay. It saves parsing: Claude Code's file grows to megabytes.
func mentionsRelay(content []byte) bool {
	return bytes.Contains(content, []byte(harnesses.Relay)) && bytes.Contains(content, []byte("--server"))
}

// held is how wsi is registered with a harness in a scope.
type held struct {
	sources []Source
	relays  []WrappedServer
}

func holds(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) held {
	return held{Sources(env, h, scope), WrappedServers(env, h, scope)}
}

// servers returns the servers for which wsi is registered.
func (x held) servers() []string {
	var servers []string
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			servers = addUnique(servers, hook.Parsed.Servers...)
		}
	}
	for _, f := range x.relays {
		servers = addUnique(servers, f.Name)
	}
	return servers
}

// as maps the registered servers to the servers whose rules they use, as in harnesses.Program.
func (x held) as() map[string]string {
	as := map[string]string{}
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			maps.Copy(as, hook.Parsed.As)
		}
	}
	for _, f := range x.relays {
		if f.Relay.As != "" {
			as[f.Name] = f.Relay.As
		}
	}
	return as
}

// programs returns the paths of the registered wsi.
func (x held) programs() []string {
	var paths []string
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			paths = addUnique(paths, hook.Parsed.Path)
		}
	}
	for _, f := range x.relays {
		paths = addUnique(paths, f.Relay.Path)
	}
	return paths
}

// mode returns the mode in which wsi is registered, "" if it is not.
func (x held) mode() harnesses.Mode {
	mode := harnesses.Mode("")
	for _, s := range x.sources {
		for _, hook := range s.Mine() {
			if hook.Parsed.Join {
				return harnesses.ByJoin
			}
			mode = harnesses.ByHooks
		}
	}
	if mode == "" && len(x.relays) > 0 {
		mode = harnesses.ByRelay
	}
	return mode
}

// mode returns the mode to set up: the requested one, else the registered one, else the harness's usual one.
func (o Options) mode(h harnesses.Harness, now held) (harnesses.Mode, error) {
	o.Mode = cmp.Or(o.Modes[h.ID], o.Mode)
	if _, ok := h.Choice(now.mode()); o.Mode == "" && ok {
		return now.mode(), nil
	}
	if o.Mode == "" {
		return h.Usual(), nil
	}
	if _, ok := h.Choice(o.Mode); !ok {
		return "", Refusal{
			Err:  fmt.Errorf("it cannot be wired by %s, only by %s", o.Mode, h.WayNames()),
			Hint: "exclude it with --harness, or use --wiring " + string(h.Usual()),
		}
	}
	return o.Mode, nil
}
