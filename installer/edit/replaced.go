package edit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"

	"wsi/harnesses/setup"
)

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
		one.Skip(setup.Reason{Why: why, Fix: "make one of the two"})
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
