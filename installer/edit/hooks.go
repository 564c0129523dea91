package edit

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// hookFile is a file with hooks, grouped or flat. A change never moves an earlier index.
type hookFile struct {
	*document
	file setup.HookFile
}

func open(file setup.HookFile, content []byte) (h hookFile, all []setup.Hook, err error) {
	d, err := openDocument(file.Format, content)
	if err != nil {
		return h, nil, err
	}
	if len(file.Entries) > 0 {
		of, _ := setup.ParseCommand(file.Entries[0].Command) // once: it may name thousands of servers
		file.Harness = of.Harness
	}
	h = hookFile{d, file}
	if err := h.check(); err != nil {
		return h, nil, err
	}
	all = h.found()
	ours := 0
	for _, f := range all {
		if f.Ours {
			ours += len(f.Parsed.Servers)
		}
	}
	return h, all, bounded(ours, content)
}

// check refuses duplicate keys, and other values in place of containers.
func (h hookFile) check() error {
	matters := func(key string) bool { // wsi reads or writes it
		return key == "hooks" || slices.ContainsFunc(h.file.Preset, func(p setup.Preset) bool { return p.Key == key })
	}
	root, _ := h.find()
	if err := h.distinct(matters, root); err != nil {
		return err
	}
	in := h.tree["hooks"] // null is nothing
	table, is := in.(map[string]any)
	if in != nil && !is {
		return h.wrong("a table", "an object", "hooks")
	}
	for _, e := range h.file.Entries {
		if _, is := table[e.Event].([]any); !is && table[e.Event] != nil {
			return h.wrong("a list", "a list", "hooks", e.Event)
		}
	}
	hooks, _ := h.find("hooks")
	if err := h.distinct(every, hooks); err != nil {
		return err
	}
	for _, event := range hooks.kids {
		for _, group := range event.val.elements() {
			if err := h.checkGroup(group.val); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGroup checks a group and its handlers, or an entry of a flat file.
func (h hookFile) checkGroup(group node) error {
	if err := h.distinct(identifies, group); err != nil || h.file.Shape == setup.Flat {
		return err
	}
	handlers, _, _, _ := group.member([]string{"hooks"})
	for _, handler := range handlers.elements() {
		if err := h.distinct(identifies, handler.val); err != nil {
			return err
		}
	}
	return nil
}

// elements returns the elements of a list, none of any other value.
func (n node) elements() []kid {
	if n.kind != kindList {
		return nil
	}
	return n.kids
}

func (h hookFile) wrong(inTOML, inJSON string, path ...string) error {
	name := strings.Join(path, ".")
	if h.format == setup.TOML {
		return errors.New(name + " is not " + inTOML)
	}
	at, _ := h.find(path...)
	return setup.Locate(h.text, at.start, errors.New(name+" is not "+inJSON))
}

// identifies reports whether a key of a hook matters for recognizing or removing it.
func identifies(key string) bool {
	return slices.Contains([]string{"hooks", "matcher", "type", "command"}, key)
}

func every(string) bool { return true }

// one is a hook as a file has it.
type one struct {
	setup.Hook
	path []string
	bare bool // it is in place of a group
}

// all returns the hooks under a path, in the order of events and indexes: in TOML of the names of events.
func (d *document) all(file setup.HookFile, path ...string) (hooks []one) {
	events := setup.Table(d.tree, path...)
	names := slices.Sorted(maps.Keys(events))
	if d.format != setup.TOML {
		in, _ := d.find(path...)
		order := map[string]int{}
		for i, k := range in.kids {
			order[k.key[0]] = i
		}
		slices.SortFunc(names, func(a, b string) int { return order[a] - order[b] })
	}
	for _, event := range names {
		groups, _ := events[event].([]any)
		for g, raw := range groups {
			group, _ := raw.(map[string]any)
			matcher, _ := group["matcher"].(string)
			handlers, _ := group["hooks"].([]any)
			h := one{hookOf(file, event, matcher, group), slices.Concat(path, []string{event, strconv.Itoa(g)}), true}
			h.Group = g
			_, grouped := group["hooks"]
			_, command := group["command"]
			if file.Shape == setup.Flat || len(handlers) == 0 && (file.Shape == setup.Either || !grouped && command && d.format != setup.TOML) {
				hooks = append(hooks, h)
				continue
			}
			for i, raw := range handlers {
				handler, _ := raw.(map[string]any)
				h := one{hookOf(file, event, matcher, handler), slices.Concat(h.path, []string{"hooks", strconv.Itoa(i)}), false}
				h.Group, h.Handler = g, i
				hooks = append(hooks, h)
			}
		}
	}
	return hooks
}

func (h hookFile) found() (found []setup.Hook) {
	for _, one := range h.all(h.file, "hooks") {
		if one.bare && h.file.Shape != setup.Flat {
			continue
		}
		switch n := one.Fields["timeout"].(type) {
		case int64:
			one.Timeout = int(n)
		case json.Number:
			n64, _ := n.Float64() // it is a number
			one.Timeout = int(n64)
		}
		if kind, given := one.Fields["type"]; !given || kind == "command" {
			said, ok := setup.ParseCommand(one.Command)
			if one.Mine = ok && said.Harness == h.file.Harness; one.Mine {
				one.Parsed = said
			}
			one.Ours = one.Mine || setup.Damaged(one.Command, h.file.Harness)
		}
		found = append(found, one.Hook)
	}
	return found
}

// add adds an entry at the end of its event, and returns the containers that it made.
func (h hookFile) add(e setup.Entry) (made []string) {
	handler := fields{{"type", "command"}, {"command", e.Command}}.and("timeout", e.Timeout)
	group := fields{}.and("matcher", e.Matcher).and("hooks", []fields{handler})
	if h.file.Shape == setup.Flat {
		group = fields{{"command", e.Command}}.and("matcher", e.Matcher).and("timeout", e.Timeout)
	}
	at := []string{"hooks", e.Event}
	for n := range at {
		if v, ok := h.find(at[:n+1]...); ok && v.kind == kindOther { // null, which harnesses accept
			h.fail(h.wrong("a table", "an object, but null: remove it", at[:n+1]...))
			return nil
		}
	}
	if _, ok := h.find(at...); !ok {
		if _, ok := h.find("hooks"); !ok && h.format == setup.TOML {
			h.addTable(at, group)
			return nil
		} else if !ok {
			made = []string{"hooks"}
			h.put(nil, "hooks", fields{})
		}
		made = append(made, "hooks."+e.Event)
		h.put(at[:1], e.Event, []fields{})
	}
	if to, ok := h.find(at...); ok { // else a change has failed
		h.commit(h.extend(to, "", h.raw(group)), at, h.plus(group))
	}
	return made
}

// addTable adds a group, of which the last member is the list of handlers, as tables of TOML.
func (h hookFile) addTable(at []string, group fields) {
	last := len(group) - 1
	handlers := group[last].value.([]fields)
	lines := slices.Concat([]string{"[[" + joined(at) + "]]"}, lists.Map(group[:last], h.rawMember),
		[]string{"[[" + joined(at) + ".hooks]]"}, lists.Map(handlers[0], h.rawMember))
	h.commit(h.block(lines...), at, h.plus(group))
}

// update makes a hook of wsi an entry; group says whether its matcher is set too.
func (h hookFile) update(f setup.Hook, e setup.Entry, group bool) {
	of, at := h.paths(f)
	handler, _ := h.find(at...)
	h.fail(h.distinct(every, handler))
	if f.Command != e.Command {
		h.put(at, "command", e.Command)
	}
	if f.Timeout != e.Timeout {
		h.put(at, "timeout", e.Timeout)
	}
	if group && f.Matcher != e.Matcher {
		h.put(of, "matcher", e.Matcher)
	}
}

func (h hookFile) paths(f setup.Hook) (group, handler []string) {
	group = []string{"hooks", f.Event, strconv.Itoa(f.Group)}
	if h.file.Shape == setup.Flat {
		return group, group
	}
	return group, append(slices.Clone(group), "hooks", strconv.Itoa(f.Handler))
}

// drop removes a hook, and its group if that is empty then.
func (h hookFile) drop(f setup.Hook) {
	group, handler := h.paths(f)
	event := group[:2]
	_, inline := h.find(event...)
	switch all, _ := setup.At(h.tree, append(group, "hooks")...).([]any); {
	case h.file.Shape != setup.Flat && len(all) > 1:
		h.remove(handler, handler)
	case !inline && len(setup.At(h.tree, event...).([]any)) == 1:
		h.remove(group, event) // a list of [[tables]] disappears with its last one
	default:
		h.remove(group, group)
	}
}

// prune removes a container, or a preset, if it is empty. Tables of TOML disappear by themselves.
func (h hookFile) prune(name string) {
	path := []string{name}
	if event, ok := strings.CutPrefix(name, "hooks."); ok {
		path = []string{"hooks", event}
	} else if h.format == setup.TOML {
		return
	}
	v, ok := h.find(path...)
	empty := v.kind >= kindList && isBlank(h.text[v.start+1:v.end-1])
	preset := slices.ContainsFunc(h.file.Preset, func(p setup.Preset) bool { return p.Key == name && p.Value == h.rawAt(path) })
	if ok && (empty || preset) {
		h.remove(path, path)
	}
}
