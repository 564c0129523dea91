package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
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

// replaced finds the hooks of a JSON file that no harness runs, because a later key of the same name replaces them, or a part of
// them. TOML has no duplicate keys.
type replaced struct {
	*document
	file  setup.HookFile
	lines []int // where each line ends
	found []setup.Hook
}

// replacedHooks returns these hooks, under a path of keys and indexes.
func (d *document) replacedHooks(file setup.HookFile, path []string) []setup.Hook {
	root, ok := d.find()
	if d.format == setup.TOML || !ok {
		return nil
	}
	r := replaced{document: d, file: file}
	for i, c := range d.text {
		if c == '\n' {
			r.lines = append(r.lines, i)
		}
	}
	r.below(root, path, "")
	return r.found
}

func (r *replaced) line(at int) int { return 1 + sort.SearchInts(r.lines, at) }

// each calls a function for the members of an object, with why a member does not count, or why the object does not.
func (r *replaced) each(v node, why string, do func(key string, v node, why string)) {
	if v.kind != kindObject {
		return
	}
	last := map[string]kid{}
	for _, k := range v.kids {
		last[k.key[0]] = k
	}
	for _, k := range v.kids {
		by, because := last[k.key[0]], why
		if by.at != k.at && why == "" {
			because = fmt.Sprintf("a later %s in the same object replaces it, in line %d", strconv.Quote(k.key[0]), r.line(by.at))
		}
		do(k.key[0], k.val, because)
	}
}

func (r *replaced) below(v node, path []string, why string) {
	if len(path) == 0 {
		r.each(v, why, r.event)
		return
	}
	if i, err := strconv.Atoi(path[0]); err == nil && v.kind == kindList && i >= 0 && i < len(v.kids) {
		r.below(v.kids[i].val, path[1:], why)
	}
	r.each(v, why, func(key string, v node, why string) {
		if key == path[0] {
			r.below(v, path[1:], why)
		}
	})
}

func (r *replaced) event(event string, v node, why string) {
	for g, group := range v.elements() {
		h, grouped := setup.Hook{Event: event, Group: g}, false
		earlier := map[string]string{} // matchers that do not count, and why
		r.each(group.val, why, func(key string, v node, because string) {
			switch {
			case key == "hooks":
				grouped = true
			case key == "matcher" && because != why:
				earlier[r.text(v)] = because
			case key == "matcher":
				h.Matcher = r.text(v)
			}
		})
		handlers := func(h setup.Hook, why string) {
			if r.file.Shape == setup.Flat || !grouped && r.file.Shape == setup.Either {
				r.handler(h, group.val, why)
				return
			}
			r.each(group.val, why, func(key string, v node, why string) {
				for i, handler := range v.elements() {
					if h.Handler = i; key == "hooks" {
						r.handler(h, handler.val, why)
					}
				}
			})
		}
		handlers(h, why)
		for _, matcher := range slices.Sorted(maps.Keys(earlier)) {
			h.Matcher = matcher
			handlers(h, earlier[matcher])
		}
	}
}

// handler notes a hook if it, or an earlier command of it, is replaced.
func (r *replaced) handler(h setup.Hook, v node, why string) {
	note := func(command, why string) {
		var fields map[string]any
		_ = json.Unmarshal(r.plain[v.start:v.end], &fields) // another value has no fields
		one := hookOf(r.file, h.Event, h.Matcher, fields)
		if command != "" {
			one.Command = command
		}
		one.Group, one.Handler, one.Line, one.Entry = h.Group, h.Handler, r.line(v.start), string(r.document.text[v.start:v.end])
		one.Skip(setup.Reason{Why: why, Fix: "merge the two into one"})
		r.found = append(r.found, one)
	}
	if why != "" {
		note("", why)
		return
	}
	r.each(v, "", func(key string, v node, why string) {
		if key == "command" && why != "" {
			note(r.text(v), why)
		}
	})
}

// text returns a string in the file, "" for another value.
func (r *replaced) text(v node) (s string) {
	_ = json.Unmarshal(r.plain[v.start:v.end], &s) // another value is none
	return s
}

// withReplaced adds hooks to others, in the order in which they are in the file.
func withReplaced(hooks, more []setup.Hook) []setup.Hook {
	if len(more) == 0 {
		return hooks
	}
	all := append(hooks, more...)
	slices.SortStableFunc(all, func(a, b setup.Hook) int { return a.Line - b.Line })
	return all
}
