package edit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
)

// Hooks returns the hooks of a file, of every type and program, with their lines, in the order of events and indexes. It
// reads what harnesses read, also files that [Entries] refuses: of duplicate keys the last one counts, and what it replaces is skipped.
func Hooks(file setup.HookFile, content []byte) ([]setup.Hook, error) {
	d, err := openDocument(file.Format, content)
	if err != nil {
		return nil, err
	}
	path := file.Table
	if path == nil {
		path = []string{"hooks"}
	}
	if d.lost != nil {
		return nil, d.lost
	}
	places := d.places(path)
	var all []setup.Hook
	line, last := 1, 0 // of the hook before: a file can have thousands
	for _, one := range d.all(file, path...) {
		at := places.of(one.path...)
		line += bytes.Count(d.text[min(last, at.start):at.start], []byte("\n")) - bytes.Count(d.text[min(last, at.start):last], []byte("\n"))
		last = at.start
		h := one.Hook
		h.Line, h.Entry = line, string(bytes.TrimSpace(d.text[at.start:at.end]))
		if one.bare && file.Shape != setup.Flat && file.Shape != setup.Either {
			h.Skip(setup.Reason{Why: "it is not in a list of hooks", Fix: `write {"hooks": [{"type": "command", "command": ...}]} around it`})
		}
		all = append(all, h)
	}
	return withReplaced(all, d.replacedHooks(file, path)), nil
}

// places are where the tables and values of a file are, by their joined paths.
type places struct{ tables, values map[string]span }

// places locates the tables, and the values down to the handlers of hooks under a path. A table ends where the next one begins.
func (d *document) places(under []string) places {
	depth := len(under) + len([]string{"event", "group", "hooks", "handler"})
	p := places{map[string]span{}, map[string]span{}}
	var add func(path []string, v node)
	add = func(path []string, v node) {
		if len(path) > depth || !below(path, under) && !below(under, path) {
			return
		}
		p.values[joined(path)] = v.span
		for i, k := range v.kids {
			key := k.key
			if v.kind == kindList {
				key = []string{strconv.Itoa(i)}
			}
			add(slices.Concat(path, key), k.val)
		}
	}
	end := len(d.text)
	for _, it := range slices.Backward(d.items) {
		if it.header {
			p.tables[joined(it.path)] = span{it.start, end}
			end = it.start
		} else {
			add(it.path, it.value)
		}
	}
	return p
}

func joined(path []string) string { return strings.Join(quoteAll(path), ".") }

// of returns the place of a hook: its own table, its inline table, or what it is part of.
func (p places) of(path ...string) span {
	for ; len(path) > 0; path = path[:len(path)-1] {
		key := joined(path)
		if at, ok := p.tables[key]; ok {
			return at
		}
		if at, ok := p.values[key]; ok {
			return at
		}
	}
	return span{}
}

func hookOf(file setup.HookFile, event, matcher string, fields map[string]any) setup.Hook {
	h := setup.Hook{
		File: file.Path, Origin: file.Origin, Owner: file.Owner, Root: file.Root,
		Event: event, Matcher: matcher, Kind: "command", Fields: fields,
	}
	if kind, ok := fields["type"].(string); ok {
		h.Kind = kind
	}
	members := []string{"command", "url", "server", "prompt"}
	if h.Kind == "command" {
		members = members[:1]
		if file.Members != nil {
			members = file.Members
		}
	}
	for _, name := range members {
		if said, ok := fields[name].(string); ok {
			h.Command = said
			break
		}
	}
	return h
}
