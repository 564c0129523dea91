package edit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses"
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

// The command of a server moves unchanged to the arguments, after those of wsi. So it can be moved back without a record.

const (
	command = "command"
	args    = "args"
)

// words returns the command line of an entry, nil if it has none. The arguments of wsi relay show that its program was deleted.
func words(form setup.Form, entry map[string]any) []string {
	more, _ := entry[args].([]any)
	var all []any
	switch program := entry[command]; {
	case form.Joined:
		all, _ = program.([]any)
	case program != nil && program != "":
		all = append([]any{program}, more...)
	case len(more) > 0 && more[0] == harnesses.Relay && entry["url"] == nil && entry[form.URL] == nil:
		all = append([]any{"wsi"}, more...)
	}
	return lists.Map(all, func(word any) string { return fmt.Sprint(word) })
}

// wrap makes a server run through wsi relay.
func wrap(file setup.ServerFile, d *document, s Server, f setup.RelayCommand) (made []string, err error) {
	if s.entry[command] == nil {
		return wrapRemote(file.Form, d, s, f)
	}
	if file.Form.Joined {
		own, ok := s.entry[command].([]any)
		if !ok || len(own) == 0 {
			return nil, errors.New("its command is not a list of words")
		}
		begin(d, s).putFirst(lists.Map(f.Words(), d.quote), append(anys(f.Words()), own...), command)
		return nil, nil
	}
	old, ok := s.entry[command].(string)
	if !ok {
		return nil, errors.New("its command is not a string")
	}
	e, relay := begin(d, s), f.Words()
	written := append(lists.Map(relay[1:], d.quote), d.rawAt(s.path(command)))
	behind := append(anys(relay[1:]), old)
	if s.entry[args] == nil {
		e.set(relay[0], d.quote(relay[0]), command)
		e.set(behind, array(written), args)
		return []string{pointer(s.path(args))}, nil
	}
	more, ok := s.entry[args].([]any)
	if !ok {
		return nil, errors.New("its args are not a list")
	}
	e.putFirst(written, append(behind, more...), args)
	e.set(relay[0], d.quote(relay[0]), command)
	return nil, nil
}

// unwrap removes wsi relay from a server.
func unwrap(file setup.ServerFile, d *document, s Server, made []string) error {
	line := words(file.Form, s.entry)
	f, own, _ := setup.ParseRelayCommand(line) // it is one: s is wrapped
	if f.URL != "" {
		return unwrapRemote(file.Form, d, s, f, made)
	}
	e := begin(d, s)
	if file.Form.Joined {
		e.dropFirst(own, slices.Clone(s.entry[command].([]any)[own:]), command)
		return nil
	}
	more := s.entry[args].([]any)
	old, ok := more[own-1].(string)
	list, _ := d.find(s.path(args)...)
	if !ok || len(list.elements()) != len(more) {
		return errors.New("wsi cannot safely change its args as they are written")
	}
	first := list.kids[own-1].val
	raw := string(d.text[first.start:first.end])
	e.dropFirst(own, slices.Clone(more[own:]), args)
	e.set(old, raw, command)
	if len(more) == own && slices.Contains(made, pointer(s.path(args))) {
		e.drop(args)
	}
	return nil
}

func anys(words []string) []any {
	return lists.Map(words, func(word string) any { return word })
}

// array writes a list on one line.
func array(raw []string) string { return "[" + strings.Join(raw, ", ") + "]" }

// edits change the entry of a server.
type edits struct {
	*document

	server Server
}

func begin(d *document, s Server) edits {
	d.fail(d.unambiguous(s.path()))
	return edits{d, s}
}

// set sets a member of the entry, or of a table in it that may be missing. raw means value.
func (e edits) set(value any, raw string, key ...string) {
	path := e.server.path(key...)
	last := len(path) - 1
	if setup.At(e.tree, path[:last]...) == nil {
		raw = e.raw(fields{{path[last], verbatim(raw)}})
		last--
	}
	e.mean(e.assign(path[:last], path[last], raw), value, key...)
}

// mean accepts a changed text that means value as a member of the entry.
func (e edits) mean(changed []byte, value any, key ...string) {
	e.commit(changed, e.server.path(key...), func(any) any { return value })
}

// drop removes a member of the entry, or of a table in it.
func (e edits) drop(key ...string) {
	path := e.server.path(key...)
	e.remove(path, path)
}

// putFirst puts raw elements before all others of a list, which then means what is given.
func (e edits) putFirst(raw []string, all []any, key string) {
	if list, ok := e.find(e.server.path(key)...); ok && list.kind == kindList {
		e.mean(e.prepend(list, raw), all, key)
	} else {
		e.fail(errUnsafe)
	}
}

// dropFirst removes the first n elements of a list, which then means what is given.
func (e edits) dropFirst(n int, left []any, key string) {
	if list, _ := e.find(e.server.path(key)...); len(list.elements()) >= n {
		e.mean(e.withoutFirst(list, n), left, key)
	} else {
		e.fail(errUnsafe)
	}
}

// setLine sets a command line.
func (e edits) setLine(form setup.Form, line []string) {
	if form.Joined {
		e.set(anys(line), array(lists.Map(line, e.quote)), command)
		return
	}
	e.set(line[0], e.quote(line[0]), command)
	e.set(anys(line[1:]), array(lists.Map(line[1:], e.quote)), args)
}

// kinds are the keys that say how a server is reached.
var kinds = []string{"type", "transport"}

// setType changes the type of an entry that has one.
func (e edits) setType(kind string) {
	for _, key := range kinds {
		if was := e.server.entry[key]; was != nil && kind != "" && kind != was {
			e.set(kind, e.quote(kind), key)
		}
	}
}

// unambiguous refuses duplicate keys in an entry and on its path.
func (d *document) unambiguous(path []string) error {
	for i, key := range path {
		table, _ := d.find(path[:i]...)
		if err := d.distinct(func(k string) bool { return k == key }, table); err != nil {
			return err
		}
	}
	entry, _ := d.find(path...)
	return d.distinct(every, entry)
}
