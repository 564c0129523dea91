package edit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Server is an MCP server as a file registers it.
type Server struct {
	Name  string
	Table []string // the keys of the table that contains it
	// Relay is the relay command that it runs through, if Wrapped; Others, whether for another harness.
	Relay           setup.RelayCommand
	Wrapped, Others bool

	entry map[string]any
}

// path returns the path of the entry or of one of its members.
func (s Server) path(key ...string) []string {
	return append(append(slices.Clone(s.Table), s.Name), key...)
}

// Servers returns the servers that a file registers, sorted by table and name.
func Servers(file setup.ServerFile, content []byte) (all []Server, err error) {
	if isBlank(content) {
		return nil, nil
	}
	_, all, err = servers(file, content)
	return all, err
}

func servers(file setup.ServerFile, content []byte) (d *document, all []Server, err error) {
	if d, err = openDocument(file.Format, content); err != nil {
		return d, nil, err
	}
	wrapped := 0
	for _, keys := range file.Tables {
		for _, table := range tables(d.tree, nil, keys) {
			entries := setup.Table(d.tree, table...)
			for _, name := range slices.Sorted(maps.Keys(entries)) {
				s := Server{Name: name, Table: table}
				if s.entry, _ = entries[name].(map[string]any); s.entry == nil {
					continue
				}
				s.Relay, _, s.Wrapped = setup.ParseRelayCommand(words(file.Form, s.entry))
				s.Others = s.Wrapped && file.Others != nil && file.Others(s.Relay)
				if s.Wrapped {
					wrapped++
				}
				all = append(all, s)
			}
		}
	}
	return d, all, bounded(wrapped, content)
}

// tables returns the tables at a path; "*" is any key.
func tables(in map[string]any, done, keys []string) (all [][]string) {
	if len(keys) == 0 {
		return [][]string{slices.Clone(done)}
	}
	names := keys[:1]
	if keys[0] == "*" {
		names = slices.Sorted(maps.Keys(in))
	}
	for _, name := range names {
		if table, ok := in[name].(map[string]any); ok {
			all = append(all, tables(table, append(slices.Clone(done), name), keys[1:])...)
		}
	}
	return all
}

// Wrap returns the content in which exactly the servers for which relay has a command run through it, and the pointers
// ("/mcpServers/x/args") to the containers that it created. It keeps the other members of an entry, and relays for another
// harness. A server that cannot be wrapped is an error, and so is one with an address that may contain a secret, or for
// which login returns an error because it may require a login. Addresses of servers that are wrapped already are not
// checked, and none are if login is nil.
func Wrap(file setup.ServerFile, content []byte, relay func(name string) (setup.RelayCommand, bool), login func(address string) error) (after []byte, made []string, err error) {
	return each(file, content, func(d *document, s Server) ([]string, error) {
		reached := slices.Concat([]string{command, args, "url", file.Form.URL, file.Form.Bearer}, kinds, file.Form.Kept)
		if !slices.ContainsFunc(reached, func(key string) bool { return s.entry[key] != nil }) {
			return nil, nil // harnesses merge it with an entry in another file
		}
		f, wanted := relay(s.Name)
		if s.Wrapped {
			if f = f.Keeping(s.Relay); wanted && s.Relay.Stands(f) {
				return nil, nil
			}
			if err := unwrap(file, d, s, nil); err != nil {
				return nil, err
			}
		}
		if !wanted {
			return nil, nil
		}
		known := s.Wrapped || login == nil
		s.entry = setup.Table(d.tree, s.path()...)
		if address, ok := s.entry[file.Form.AddressIn(s.entry)].(string); ok && s.entry[command] == nil && !known {
			if err := mayWrap(file.Form, s.entry, address, login); err != nil {
				return nil, err
			}
		}
		return wrap(file, d, s, f)
	})
}

// Unwrap returns the content without the relays of this harness, and without the containers in made that are empty then.
// A nil made means unknown: an empty list of arguments then stays.
func Unwrap(file setup.ServerFile, content []byte, made []string) ([]byte, error) {
	after, _, err := each(file, content, func(d *document, s Server) ([]string, error) {
		if !s.Wrapped {
			return nil, nil
		}
		return nil, unwrap(file, d, s, made)
	})
	return after, err
}

// each changes every server in turn, except those of another harness.
func each(file setup.ServerFile, content []byte, do func(*document, Server) ([]string, error)) (after []byte, made []string, err error) {
	if isBlank(content) {
		return content, nil, nil
	}
	d, all, err := servers(file, content)
	if err != nil {
		return nil, nil, err
	}
	made = []string{} // nil would mean unknown
	for _, s := range all {
		if s.Others {
			continue
		}
		added, err := do(d, s)
		if err = cmp.Or(d.err, err); err != nil {
			return nil, nil, fmt.Errorf("the server %s: %w", s.Name, err)
		}
		made = append(made, added...)
	}
	return d.bytes(), made, nil
}

// pointer returns a JSON pointer (RFC 6901).
func pointer(path []string) string {
	return "/" + strings.Join(lists.Map(path, strings.NewReplacer("~", "~0", "/", "~1").Replace), "/")
}
