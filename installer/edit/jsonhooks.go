package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"wsi/harnesses/setup"
)

// jsonHooks is a hook file in JSON or JSONC, grouped or flat.
type jsonHooks struct {
	*document
	file setup.HookFile
}

func openJSON(file setup.HookFile, content []byte) (hooks, error) {
	d, err := parse(content, file.Format == setup.JSONC)
	if err != nil {
		return nil, err
	}
	h := &jsonHooks{d, file}
	return h, h.check()
}

// check refuses duplicate keys, and other values in place of containers.
func (h *jsonHooks) check() error {
	if err := h.distinct(h.matters, h.root()); err != nil {
		return err
	}
	hooks, ok := h.lookup([]string{"hooks"})
	if !ok {
		return nil
	}
	if h.text[hooks.val.start] != '{' {
		return h.wrong(hooks, "hooks", "an object")
	}
	if err := h.distinct(every, hooks.val); err != nil {
		return err
	}
	for _, event := range h.children(hooks.val) {
		if h.text[event.val.start] != '[' && h.wanted(event.key) {
			return h.wrong(event, "hooks."+event.key, "a list")
		}
		for _, group := range h.elements(event.val) {
			if err := h.checkGroup(group.val); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGroup checks a group and its handlers, or an entry of a flat file.
func (h *jsonHooks) checkGroup(group span) error {
	if err := h.distinct(identifies, group); err != nil || h.file.Shape == setup.Flat {
		return err
	}
	for _, handler := range h.elements(h.last(group, "hooks")) {
		if err := h.distinct(identifies, handler.val); err != nil {
			return err
		}
	}
	return nil
}

func (h *jsonHooks) wanted(event string) bool {
	return slices.ContainsFunc(h.file.Entries, func(e setup.Entry) bool { return e.Event == event })
}

func (h *jsonHooks) wrong(m member, name, should string) error {
	return locate(h.text, m.val.start, fmt.Errorf("%s is not %s", name, should))
}

// matters reports whether wsi reads or writes a top-level key.
func (h *jsonHooks) matters(key string) bool {
	return key == "hooks" || slices.ContainsFunc(h.file.Preset, func(p setup.Preset) bool { return p.Key == key })
}

// identifies reports whether a key of a hook matters for recognizing or removing it.
func identifies(key string) bool {
	return slices.Contains([]string{"hooks", "matcher", "type", "command"}, key)
}

func every(string) bool { return true }

func (h *jsonHooks) found() ([]Found, error) {
	var all []Found
	h.at("hooks").ForEach(func(event, list gjson.Result) bool {
		if !list.IsArray() {
			return true
		}
		for g, group := range list.Array() {
			matcher := ""
			if m := group.Get("matcher"); m.Type == gjson.String {
				matcher = m.Str
			}
			if h.file.Shape == setup.Flat {
				all = append(all, h.one(Found{Event: event.Str, Matcher: matcher, Group: g}, group))
				continue
			}
			handlers := group.Get("hooks")
			if !group.IsObject() || !handlers.IsArray() {
				continue
			}
			for i, handler := range handlers.Array() {
				all = append(all, h.one(Found{Event: event.Str, Matcher: matcher, Group: g, Handler: i}, handler))
			}
		}
		return true
	})
	return all, nil
}

// one adds to the place of a hook what its handler says.
func (h *jsonHooks) one(f Found, handler gjson.Result) Found {
	if t := handler.Get("timeout"); t.Type == gjson.Number {
		f.Timeout = int(t.Num)
	}
	kind := handler.Get("type")
	if c := handler.Get("command"); c.Type == gjson.String && (!kind.Exists() || kind.Str == "command") {
		f.Command = c.Str
		f.Ours = ours(h.file, c.Str)
		var more []string
		handler.ForEach(func(name, value gjson.Result) bool {
			if value.Type != gjson.False && value.Type != gjson.Null && !written(name.Str) {
				more = append(more, name.Str)
			}
			return true
		})
		f.More = strings.Join(more, " ")
	}
	return f
}

func (h *jsonHooks) add(e setup.Entry) (made []string, err error) {
	if _, ok := h.lookup([]string{"hooks"}); !ok {
		made = append(made, "hooks")
		if err := h.put(nil, "hooks", "{}"); err != nil {
			return nil, err
		}
	}
	if _, ok := h.lookup([]string{"hooks", e.Event}); !ok {
		made = append(made, "hooks."+e.Event)
		if err := h.put([]string{"hooks"}, e.Event, "[]"); err != nil {
			return nil, err
		}
	}
	handler := `"command":` + quote(e.Command)
	matcher := ""
	if e.Matcher != "" {
		matcher = `"matcher":` + quote(e.Matcher)
	}
	timeout := ""
	if e.Timeout > 0 {
		timeout = `"timeout":` + strconv.Itoa(e.Timeout)
	}
	raw := object(handler, matcher, timeout)
	if h.file.Shape == setup.Grouped {
		raw = object(matcher, `"hooks":[`+object(`"type":"command"`, handler, timeout)+`]`)
	}
	return made, h.push([]string{"hooks", e.Event}, raw)
}

func (h *jsonHooks) update(f Found, e setup.Entry, withMatcher bool) error {
	group, handler := h.paths(f)
	if err := h.unique(every, handler...); err != nil {
		return err
	}
	type change struct {
		path     []string
		key      string
		was, raw string
	}
	changes := []change{
		{handler, "command", quote(f.Command), quote(e.Command)},
		{handler, "timeout", strconv.Itoa(f.Timeout), strconv.Itoa(e.Timeout)},
	}
	if withMatcher {
		changes = append(changes, change{group, "matcher", quote(f.Matcher), quote(e.Matcher)})
	}
	for _, c := range changes {
		if c.was == c.raw {
			continue
		}
		if err := h.put(c.path, c.key, c.raw); err != nil {
			return err
		}
	}
	return nil
}

func (h *jsonHooks) paths(f Found) (group, handler []string) {
	group = []string{"hooks", f.Event, strconv.Itoa(f.Group)}
	if h.file.Shape == setup.Flat {
		return group, group
	}
	return group, append(append([]string{}, group...), "hooks", strconv.Itoa(f.Handler))
}

func (h *jsonHooks) drop(f Found) error {
	group, handler := h.paths(f)
	if h.file.Shape == setup.Grouped && len(h.at(group...).Get("hooks").Array()) > 1 {
		return h.remove(handler)
	}
	return h.remove(group)
}

func (h *jsonHooks) prune(name string) error {
	path := []string{name}
	if event, ok := strings.CutPrefix(name, "hooks."); ok {
		path = []string{"hooks", event}
	}
	m, ok := h.lookup(path)
	if !ok {
		return nil
	}
	value := h.at(path...)
	if (value.IsObject() || value.IsArray()) && (len(h.children(m.val)) > 0 || !isBlank(h.text[m.val.start+1:m.val.end-1])) {
		return nil
	}
	for _, p := range h.file.Preset {
		if p.Key == name && value.Raw != p.Value {
			return nil
		}
	}
	return h.remove(path)
}

func (h *jsonHooks) preset(p setup.Preset) (made bool, err error) {
	if _, ok := h.lookup([]string{p.Key}); ok {
		return false, nil
	}
	if !json.Valid([]byte(p.Value)) {
		return false, errors.New("the value of " + p.Key + " is not JSON")
	}
	return true, h.put(nil, p.Key, p.Value)
}
