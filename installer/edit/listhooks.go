package edit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses"
)

// Hooks returns the hooks of a file, of every type and program, with their lines, in the order of events and indexes. It
// reads what harnesses read, also files that [Entries] refuses: of duplicate keys the last one counts.
func Hooks(file harnesses.HookFile, content []byte) ([]harnesses.Hook, error) {
	if file.Format == harnesses.TOML {
		return hooksTOML(file, content)
	}
	d, err := parse(content, file.Format == harnesses.JSONC)
	if err != nil {
		return nil, err
	}
	var all []harnesses.Hook
	events := d.table(file.Table)
	if events.start == events.end || d.text[events.start] != '{' {
		return nil, nil
	}
	for _, event := range d.children(events) {
		if d.last(events, event.key) != event.val {
			continue // overridden
		}
		for g, group := range d.elements(event.val) {
			handlers := d.elements(d.last(group.val, "hooks"))
			if file.Shape == harnesses.Flat || file.Shape == harnesses.Either && handlers == nil {
				all = append(all, d.hook(file, event.key, g, 0, group.val, group.val))
				continue
			}
			if flat, nested := d.last(group.val, "command"), d.last(group.val, "hooks"); flat != (span{}) && nested == (span{}) {
				h := d.hook(file, event.key, g, 0, group.val, group.val)
				h.Skip(harnesses.BlockedError{Why: "it is not in a list of hooks", Fix: `write {"hooks": [{"type": "command", "command": ...}]} around it`})
				all = append(all, h)
			}
			for i, handler := range handlers {
				all = append(all, d.hook(file, event.key, g, i, group.val, handler.val))
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

func (d *document) hook(file harnesses.HookFile, event string, g, i int, group, handler span) harnesses.Hook {
	plain := d.plain()
	var in, fields map[string]any
	_ = json.Unmarshal(plain[group.start:group.end], &in) // another value has no fields
	_ = json.Unmarshal(plain[handler.start:handler.end], &fields)
	h := hookOf(file, event, g, i, in, fields, d.line(handler.start))
	h.Entry = string(d.text[handler.start:handler.end])
	return h
}

func (d *document) line(at int) int { return lineAt(d.text, at) }

func lineAt(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

func hooksTOML(file harnesses.HookFile, content []byte) ([]harnesses.Hook, error) {
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	tree, err := decodeTOML(d.text)
	if err != nil {
		return nil, err
	}
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	events, _ := tree["hooks"].(map[string]any)
	var all []harnesses.Hook
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for g, raw := range groups {
			group, _ := raw.(map[string]any)
			handlers, _ := group["hooks"].([]any)
			for i, raw := range handlers {
				handler, _ := raw.(map[string]any)
				at := whereHook(d.text, list, event, g, i)
				h := hookOf(file, event, g, i, group, handler, lineAt(d.text, at.start))
				h.Entry = string(bytes.TrimSpace(d.text[at.start:at.end]))
				all = append(all, h)
			}
		}
	}
	return all, nil
}

// whereHook returns the place of a hook in a TOML file: its own table, its inline table, or what it is part of.
func whereHook(text []byte, list []item, event string, g, i int) span {
	path := []string{"hooks", event, strconv.Itoa(g), "hooks", strconv.Itoa(i)}
	for ; len(path) > 0; path = path[:len(path)-1] {
		if at, ok := header(list, path); ok {
			end := len(text)
			if next := slices.IndexFunc(list[at+1:], func(it item) bool { return it.kind != unstable.KeyValue }); next >= 0 {
				end = list[at+1+next].start
			}
			return span{list[at].start, end}
		}
		if v, ok := find(list, path); ok {
			return v.span
		}
	}
	return span{}
}

func hookOf(file harnesses.HookFile, event string, g, i int, group, fields map[string]any, line int) harnesses.Hook {
	h := harnesses.Hook{
		File: file.Path, Line: line, Origin: file.Origin, Owner: file.Owner, Root: file.Root,
		Event: event, Group: g, Handler: i, Kind: "command", Fields: fields,
	}
	h.Matcher, _ = group["matcher"].(string)
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
