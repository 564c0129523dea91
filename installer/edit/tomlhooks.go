package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
)

// tomlHooks is a hook file in TOML. It is always grouped.
type tomlHooks struct {
	*tomlDocument
	file setup.HookFile
}

func openTOML(file setup.HookFile, content []byte) (hooks, error) {
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	h := &tomlHooks{d, file}
	tree, err := setup.DecodeTOML(d.text)
	if err != nil {
		return nil, err
	}
	raw, ok := tree["hooks"]
	table, isTable := raw.(map[string]any)
	if ok && !isTable {
		return nil, errors.New("hooks is not a table")
	}
	for _, e := range file.Entries {
		if list, ok := table[e.Event]; ok {
			if _, ok := list.([]any); !ok {
				return nil, fmt.Errorf("hooks.%s is not a list", e.Event)
			}
		}
	}
	return h, nil
}

func (h *tomlHooks) found() ([]Found, error) {
	tree, err := setup.DecodeTOML(h.text)
	if err != nil {
		return nil, err
	}
	table, _ := tree["hooks"].(map[string]any)
	var all []Found
	for _, event := range slices.Sorted(maps.Keys(table)) {
		groups, _ := table[event].([]any)
		for g, raw := range groups {
			group, _ := raw.(map[string]any)
			handlers, _ := group["hooks"].([]any)
			for i, raw := range handlers {
				handler, _ := raw.(map[string]any)
				all = append(all, h.one(event, group, handler, g, i))
			}
		}
	}
	return all, nil
}

func (h *tomlHooks) one(event string, group, handler map[string]any, g, i int) Found {
	f := Found{Event: event, Group: g, Handler: i}
	f.Matcher, _ = group["matcher"].(string)
	seconds, _ := handler["timeout"].(int64)
	f.Timeout = int(seconds)
	kind, ok := handler["type"].(string)
	if command, is := handler["command"].(string); is && (!ok || kind == "command") {
		f.Command, f.Ours = command, ours(h.file, command)
		var more []string
		for _, name := range slices.Sorted(maps.Keys(handler)) {
			if handler[name] != false && !written(name) {
				more = append(more, name)
			}
		}
		f.More = strings.Join(more, " ")
	}
	return f
}

func (h *tomlHooks) add(e setup.Entry) (made []string, err error) {
	list, err := items(h.text)
	if err != nil {
		return nil, err
	}
	handler := []string{`type = "command"`, "command = " + quoteTOML(e.Command)}
	if e.Timeout > 0 {
		handler = append(handler, "timeout = "+strconv.Itoa(e.Timeout))
	}
	var matcher []string
	if e.Matcher != "" {
		matcher = []string{"matcher = " + quoteTOML(e.Matcher)}
	}
	name := "hooks." + quoteAll([]string{e.Event})[0]
	inline := "{ " + strings.Join(append(matcher, "hooks = [{ "+strings.Join(handler, ", ")+" }]"), ", ") + " }"

	var changed []byte
	if v, ok := find(list, []string{"hooks", e.Event}); ok {
		changed = h.extend(v, inline)
	} else if v, ok := find(list, []string{"hooks"}); ok {
		made = []string{"hooks." + e.Event}
		changed = h.extend(v, strings.TrimPrefix(name, "hooks.")+" = ["+inline+"]")
	} else {
		lines := append([]string{"[[" + name + "]]"}, matcher...)
		lines = append(lines, "[["+name+".hooks]]")
		changed = h.block(append(lines, handler...)...)
	}
	return made, h.commit(changed, func(tree map[string]any) {
		hook := map[string]any{"type": "command", "command": e.Command}
		if e.Timeout > 0 {
			hook["timeout"] = int64(e.Timeout)
		}
		group := map[string]any{"hooks": []any{hook}}
		if e.Matcher != "" {
			group["matcher"] = e.Matcher
		}
		if tree["hooks"] == nil {
			tree["hooks"] = map[string]any{}
		}
		hooks := tree["hooks"].(map[string]any)
		groups, _ := hooks[e.Event].([]any)
		hooks[e.Event] = append(groups, group)
	})
}

func (h *tomlHooks) update(f Found, e setup.Entry, withMatcher bool) error {
	group := []string{"hooks", f.Event, strconv.Itoa(f.Group)}
	handler := append(slices.Clone(group), "hooks", strconv.Itoa(f.Handler))
	if f.Command != e.Command {
		if err := h.set(f, handler, "command", quoteTOML(e.Command), e.Command); err != nil {
			return err
		}
	}
	if f.Timeout != e.Timeout {
		if err := h.set(f, handler, "timeout", strconv.Itoa(e.Timeout), int64(e.Timeout)); err != nil {
			return err
		}
	}
	if withMatcher && f.Matcher != e.Matcher {
		return h.set(f, group, "matcher", quoteTOML(e.Matcher), e.Matcher)
	}
	return nil
}

func (h *tomlHooks) set(f Found, table []string, key, raw string, meant any) error {
	changed, err := h.assign(table, key, raw)
	if err != nil {
		return err
	}
	return h.commit(changed, func(tree map[string]any) {
		target := groupOf(tree, f)
		if len(table) > 3 {
			target = target["hooks"].([]any)[f.Handler].(map[string]any)
		}
		target[key] = meant
	})
}

func groupOf(tree map[string]any, f Found) map[string]any {
	return tree["hooks"].(map[string]any)[f.Event].([]any)[f.Group].(map[string]any)
}

func (h *tomlHooks) drop(f Found) error {
	tree, err := setup.DecodeTOML(h.text)
	if err != nil {
		return err
	}
	path := []string{"hooks", f.Event, strconv.Itoa(f.Group)}
	handlers := groupOf(tree, f)["hooks"].([]any)
	alone := len(handlers) == 1
	if !alone {
		path = append(path, "hooks", strconv.Itoa(f.Handler))
	}
	changed, err := h.removed(path)
	if err != nil {
		return err
	}
	return h.commit(changed, func(tree map[string]any) {
		if !alone {
			group := groupOf(tree, f)
			group["hooks"] = slices.Delete(group["hooks"].([]any), f.Handler, f.Handler+1)
			return
		}
		hooks := tree["hooks"].(map[string]any)
		groups := slices.Delete(hooks[f.Event].([]any), f.Group, f.Group+1)
		hooks[f.Event] = groups
		if after, err := setup.DecodeTOML(changed); err == nil && len(groups) == 0 {
			// A list of [[tables]] disappears with its last one; an inline list stays, empty.
			if left, _ := after["hooks"].(map[string]any); left[f.Event] == nil {
				delete(hooks, f.Event)
			}
		}
	})
}

// removed returns the text without the table or value at path.
func (d *tomlDocument) removed(path []string) ([]byte, error) {
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	for _, it := range list {
		if len(it.path) < len(path) && below(path, it.path) && it.kids() != nil {
			if _, owner, i, ok := it.value.member(path[len(it.path):]); ok {
				return d.without(owner, i), nil
			}
		}
	}
	return d.cutItems(list, path), nil
}

func (it item) kids() []kid { return it.value.kids }

// prune removes an empty inline list that was made. Other lists disappear by themselves.
func (h *tomlHooks) prune(name string) error {
	event, ok := strings.CutPrefix(name, "hooks.")
	tree, err := setup.DecodeTOML(h.text)
	if err != nil || !ok {
		return err
	}
	table, _ := tree["hooks"].(map[string]any)
	if list, ok := table[event].([]any); !ok || len(list) > 0 {
		return nil
	}
	changed, err := h.removed([]string{"hooks", event})
	if err != nil {
		return err
	}
	return h.commit(changed, func(tree map[string]any) {
		delete(tree["hooks"].(map[string]any), event)
	})
}

func (h *tomlHooks) preset(p setup.Preset) (made bool, err error) {
	return false, fmt.Errorf("wsi does not write a top-level %s in TOML", p.Key)
}
