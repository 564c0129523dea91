package edit

import (
	"errors"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// edits change the entry of a server. Each is made twice: in the text, and in the tree that the text must have at the end. After
// an error they do nothing.
type edits struct {
	*document

	server Server
	want   map[string]any
	err    error
}

func begin(d *document, s Server) *edits {
	e := &edits{document: d, server: s}
	if e.err = d.unambiguous(s.path()); e.err == nil {
		e.want, e.err = d.tree()
	}
	return e
}

// end returns an error if the text does not mean what the edits should make of it.
func (e *edits) end() error {
	if e.err != nil {
		return e.err
	}
	got, err := e.tree()
	if err != nil || !e.same(got, e.want) {
		return errors.Join(errUnsafe, err)
	}
	return nil
}

// set sets a member of the entry, or of a table in it that may be missing. raw means value.
func (e *edits) set(value any, raw string, key ...string) {
	if e.err != nil {
		return
	}
	path := e.server.path(key...)
	if last := len(path) - 1; setup.At(e.want, path[:last]...) == nil {
		path, raw = path[:last], e.raw(fields{{path[last], verbatim(raw)}})
	}
	e.err = e.document.set(path, raw)
	e.mean(value, key...)
}

// drop removes a member of the entry, or of a table in it.
func (e *edits) drop(key ...string) {
	if e.err == nil {
		e.err = e.cutOut(e.server.path(key...))
		e.mean(nil, key...)
	}
}

// putFirst puts raw elements before all others of a list, which then means what is given.
func (e *edits) putFirst(raw []string, all []any, key string) {
	list, ok := e.find(e.server.path(key)...)
	if e.err == nil && (!ok || list.kind != kindList) {
		e.err = errUnsafe
	}
	if e.err == nil {
		e.text = e.prepend(list, raw)
		e.mean(all, key)
	}
}

// dropFirst removes the first n elements of a list, which then means what is given.
func (e *edits) dropFirst(n int, left []any, key string) {
	list, _ := e.find(e.server.path(key)...)
	if e.err == nil && len(list.elements()) < n {
		e.err = errUnsafe
	}
	if e.err == nil {
		e.text = e.withoutFirst(list, n)
		e.mean(left, key)
	}
}

// mean notes what the text will mean, nil for nothing.
func (e *edits) mean(value any, key ...string) {
	if e.err == nil {
		alter(e.want, e.server.path(key...), func(any) any { return value })
	}
}

// setLine sets a command line.
func (e *edits) setLine(form setup.Form, line []string) {
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
func (e *edits) setType(kind string) {
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
