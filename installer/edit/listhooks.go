package edit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
)

// Hooks returns the hooks of a file, of every type and program, with their lines, in the order of events and indexes. It
// reads what harnesses read, also files that [Entries] refuses: of duplicate keys the last one counts.
func Hooks(file setup.HookFile, content []byte) ([]setup.Hook, error) {
	if file.Format == setup.TOML {
		return hooksTOML(file, content)
	}
	d, err := parse(content, file.Format == setup.JSONC)
	if err != nil {
		return nil, err
	}
	var all []setup.Hook
	events := d.table(file.Table)
	if events.start == events.end || d.text[events.start] != '{' {
		return nil, nil
	}
	in := d.children(events)
	last := map[string]span{} // of duplicate keys the last one counts
	for _, event := range in {
		last[event.key] = event.val
	}
	line := linesOf(d.text)
	for _, event := range in {
		if last[event.key] != event.val {
			continue
		}
		for g, group := range d.elements(event.val) {
			list, matcher := d.last(group.val, "hooks"), d.string(d.last(group.val, "matcher"))
			handlers := d.elements(list)
			add := func(i int, handler span) *setup.Hook {
				var fields map[string]any
				_ = json.Unmarshal(d.plain()[handler.start:handler.end], &fields) // another value has no fields
				h := hookOf(file, event.key, matcher, fields)
				h.Group, h.Handler, h.Line, h.Entry = g, i, line.at(handler.start), string(d.text[handler.start:handler.end])
				all = append(all, h)
				return &all[len(all)-1]
			}
			if file.Shape == setup.Flat || file.Shape == setup.Either && handlers == nil {
				add(0, group.val)
				continue
			}
			if list == (span{}) && d.last(group.val, "command") != (span{}) {
				add(0, group.val).Skip(setup.BlockedError{Why: "it is not in a list of hooks", Fix: `write {"hooks": [{"type": "command", "command": ...}]} around it`})
			}
			for i, handler := range handlers {
				add(i, handler.val)
			}
		}
	}
	return all, nil
}

// table returns the table of events: what is at a path from the top, of keys and indexes.
func (d *document) table(path []string) span {
	if path == nil {
		path = []string{"hooks"}
	}
	at := d.root()
	for _, step := range path {
		if list := d.elements(at); list != nil {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(list) {
				return span{}
			}
			at = list[i].val
			continue
		}
		at = d.last(at, step)
	}
	return at
}

// last returns the value of the last member with this key, an empty span if there is none.
func (d *document) last(object span, key string) (value span) {
	if object.start == object.end || d.text[object.start] != '{' {
		return span{}
	}
	for _, m := range d.children(object) {
		if m.key == key {
			value = m.val
		}
	}
	return value
}

// elements returns the elements of a list, none of any other value.
func (d *document) elements(list span) []member {
	if list.start == list.end || d.text[list.start] != '[' {
		return nil
	}
	return d.children(list)
}

// string returns a string, "" for any other value.
func (d *document) string(at span) (s string) {
	_ = json.Unmarshal(d.plain()[at.start:at.end], &s) // another value is none
	return s
}

// lineEnds are the places of the line feeds of a text.
type lineEnds []int

func linesOf(text []byte) (ends lineEnds) {
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

// at returns the line of a place, from 1.
func (l lineEnds) at(place int) int {
	before, _ := slices.BinarySearch(l, place)
	return before + 1
}

func hooksTOML(file setup.HookFile, content []byte) ([]setup.Hook, error) {
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	tree, err := setup.DecodeTOML(d.text)
	if err != nil {
		return nil, err
	}
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	events, _ := tree["hooks"].(map[string]any)
	places, line := placesOf(d.text, list), linesOf(d.text)
	var all []setup.Hook
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for g, raw := range groups {
			group, _ := raw.(map[string]any)
			matcher, _ := group["matcher"].(string)
			handlers, _ := group["hooks"].([]any)
			for i, raw := range handlers {
				handler, _ := raw.(map[string]any)
				at := places.of("hooks", event, strconv.Itoa(g), "hooks", strconv.Itoa(i))
				h := hookOf(file, event, matcher, handler)
				h.Group, h.Handler, h.Line, h.Entry = g, i, line.at(at.start), string(bytes.TrimSpace(d.text[at.start:at.end]))
				all = append(all, h)
			}
		}
	}
	return all, nil
}

// places are where the tables and values of a TOML file are, by their joined paths.
type places struct{ tables, values map[string]span }

// placesOf locates the tables, and values down to the handler of a hook. A table ends where the next one begins.
func placesOf(text []byte, list []item) places {
	p := places{map[string]span{}, map[string]span{}}
	var add func(path []string, v node)
	add = func(path []string, v node) {
		if key := joined(path); p.values[key] == (span{}) {
			p.values[key] = v.span
		}
		for i, k := range v.kids {
			key := k.key
			if v.kind == unstable.Array {
				key = []string{strconv.Itoa(i)}
			}
			if len(path)+len(key) <= handlerDepth {
				add(slices.Concat(path, key), k.val)
			}
		}
	}
	end := len(text)
	for _, it := range slices.Backward(list) {
		if it.kind != unstable.KeyValue {
			p.tables[joined(it.path)] = span{it.start, end}
			end = it.start
		} else if len(it.path) <= handlerDepth {
			add(it.path, it.value)
		}
	}
	return p
}

// handlerDepth is the length of the path of a handler: hooks, event, group, hooks, handler.
const handlerDepth = 5

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
	for _, name := range []string{"command", "url", "server"} {
		if said, ok := fields[name].(string); ok {
			h.Command = said
			break
		}
	}
	return h
}
