package claudecode

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
)

// installed is a plugin that is installed for the current folder, or switched on there (2.1.197 and 2.1.330).
type installed struct {
	id      string // plugin@marketplace
	root    string // its folder
	on      bool
	offIn   string // the settings file that switches it off, "" = none switches it on
	managed bool   // switched on by the administrator
	market  string // marketplace.json, "" = not known
	entry   entry  // what it says of the plugin
	at      int    // the entry's index
	missing string // why Claude Code does not find it, "" = it does
}

// entry is a plugin in a marketplace.
type entry struct {
	Name   string          `json:"name"`
	Source json.RawMessage `json:"source"`
	Strict *bool           `json:"strict"`
	MCP    json.RawMessage `json:"mcpServers"`
	Hooks  json.RawMessage `json:"hooks"`
}

// record is where a plugin was installed, and for whom.
type record struct {
	Scope   string `json:"scope"`
	Project string `json:"projectPath"`
	Path    string `json:"installPath"`
}

// marketplace is a line of known_marketplaces.json.
type marketplace struct {
	Source   map[string]any `json:"source"`
	Location string         `json:"installLocation"`
}

// local reports whether its plugins stay in its folder. Those of others are copied when they are installed.
func (m marketplace) local() bool {
	return m.Source["source"] == "directory" || m.Source["source"] == "file"
}

// installedPlugins returns the plugins by their names. A file that cannot be read is skipped.
func installedPlugins(env setup.Env) (all []installed) {
	folder := filepath.Join(locate(env).ConfigHome, "plugins")
	var records struct {
		Plugins map[string][]record `json:"plugins"`
	}
	var markets map[string]marketplace
	_ = decode(env, filepath.Join(folder, "installed_plugins.json"), &records)
	_ = decode(env, filepath.Join(folder, "known_marketplaces.json"), &markets)
	states := pluginStates(env)
	names := slices.Concat(slices.Collect(maps.Keys(records.Plugins)), slices.Collect(maps.Keys(states)))
	slices.Sort(names)
	entries := map[string][]entry{}
	for _, id := range slices.Compact(names) {
		p := installed{id: id, on: states[id].on, offIn: states[id].file, managed: states[id].on && states[id].managed}
		name, of, _ := strings.Cut(id, "@")
		if m, known := markets[of]; known && m.Location != "" {
			p.market = filepath.Join(m.Location, ".claude-plugin", "marketplace.json")
			if entries[of] == nil {
				var said struct {
					Plugins []entry `json:"plugins"`
				}
				if err := decode(env, p.market, &said); err != nil || said.Plugins == nil {
					p.missing = "the marketplace " + of + " cannot be read at " + p.market
				}
				entries[of] = said.Plugins
			}
			p.at = slices.IndexFunc(entries[of], func(e entry) bool { return e.Name == name })
			if p.at >= 0 {
				p.entry = entries[of][p.at]
				p.root = m.rootOf(p.entry)
			}
		}
		switch {
		case p.missing != "":
		case p.market == "":
			p.missing = "the marketplace " + of + " is not known"
		case p.at < 0:
			p.missing = "the marketplace " + of + " does not list it"
		}
		if p.root == "" {
			p.root = installedAt(env, records.Plugins[id])
		}
		if p.root != "" {
			all = append(all, p)
		}
	}
	return all
}

// rootOf returns the folder of a plugin that stays in its marketplace, "" for others.
func (m marketplace) rootOf(e entry) string {
	var path string
	if !m.local() || json.Unmarshal(e.Source, &path) != nil || path == "" {
		return ""
	}
	return filepath.Join(m.Location, filepath.FromSlash(path))
}

// installedAt returns the folder into which a plugin was installed for sessions in the current folder, "" if it was not.
func installedAt(env setup.Env, records []record) string {
	for _, r := range records {
		here := slices.ContainsFunc([]string{env.Cwd, mainRoot(env)}, func(dir string) bool {
			return r.Project != "" && env.Resolved(dir) == env.Resolved(r.Project)
		})
		if r.Path != "" && (here || r.Scope != "project" && r.Scope != "local") {
			return r.Path
		}
	}
	return ""
}

// pluginState is what the strongest settings file says of a plugin.
type pluginState struct {
	on, managed bool
	file        string
}

func pluginStates(env setup.Env) map[string]pluginState {
	all := map[string]pluginState{}
	files, _ := layers(env)
	for _, l := range files {
		plugins, _ := l.settings["enabledPlugins"].(map[string]any)
		for name, value := range plugins {
			all[name] = pluginState{on: value != false, managed: l.managed(), file: l.Path}
		}
	}
	return all
}

// pluginFiles returns the files of plugins that register hooks, those of plugins that are switched off included.
func pluginFiles(env setup.Env) (all []setup.HookFile) {
	switches := switchesOf(env)
	policy := marketPolicy(env)
	for _, p := range installedPlugins(env) {
		why := switches.of(setup.OfPlugin)
		if p.managed {
			why = switches.of(setup.OfManaged)
		}
		why = slices.Concat(why, p.off(), policy.refuse(env, p))
		for _, file := range p.hookFiles(env) {
			file.Origin, file.Owner, file.Root, file.Blocked = setup.OfPlugin, p.id, p.root, append(why, file.Blocked...)
			all = append(all, file)
		}
	}
	return all
}

// off returns why Claude Code does not load the plugin.
func (p installed) off() (all []setup.BlockedError) {
	fix := "claude plugin enable " + p.id
	switch {
	case !p.on && p.offIn != "":
		all = append(all, setup.BlockedError{Why: "the plugin " + p.id + " is switched off in " + p.offIn, Fix: fix, Off: true})
	case !p.on:
		all = append(all, setup.BlockedError{Why: "the plugin " + p.id + " is not switched on under enabledPlugins", Fix: fix, Off: true})
	}
	if p.missing != "" {
		all = append(all, setup.BlockedError{Why: "Claude Code does not load the plugin " + p.id + ": " + p.missing, Fix: "claude plugin marketplace update"})
	}
	return all
}

// hookFiles returns the plugin's files. Hooks in the marketplace's entry replace all others. Otherwise hooks/hooks.json counts,
// and what plugin.json has under hooks: the events, a path, or a list of these (2.1.197 and 2.1.330).
func (p installed) hookFiles(env setup.Env) (all []setup.HookFile) {
	manifest := filepath.Join(p.root, ".claude-plugin", "plugin.json")
	var said struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	_ = decode(env, manifest, &said) // without one, or with a bad one, hooks/hooks.json may still count
	var conflict []setup.BlockedError
	loose := p.entry.Strict != nil && !*p.entry.Strict
	if loose && isObject(p.entry.Hooks) && len(said.Hooks) > 0 {
		conflict = []setup.BlockedError{{Why: "both plugin.json and the marketplace have hooks of " + p.id + ", so Claude Code does not load it", Fix: "tell its authors"}}
	}
	if isObject(p.entry.Hooks) {
		file := hookFile(p.market, setup.OfPlugin)
		file.Table, file.Blocked = []string{"plugins", strconv.Itoa(p.at), "hooks"}, conflict
		return []setup.HookFile{file}
	}
	all = []setup.HookFile{hookFile(filepath.Join(p.root, "hooks", "hooks.json"), setup.OfPlugin)}
	return p.under(all, manifest, said.Hooks, []string{"hooks"})
}

// under adds the files that a value of plugin.json names.
func (p installed) under(all []setup.HookFile, manifest string, raw json.RawMessage, at []string) []setup.HookFile {
	var path string
	var list []json.RawMessage
	file := hookFile(manifest, setup.OfPlugin)
	switch {
	case isObject(raw):
		file.Table = at
	case json.Unmarshal(raw, &path) == nil && path != "" && filepath.IsLocal(filepath.FromSlash(path)):
		file.Path = filepath.Join(p.root, filepath.FromSlash(path))
		if slices.ContainsFunc(all, func(f setup.HookFile) bool { return f.Path == file.Path }) {
			return all
		}
	case json.Unmarshal(raw, &list) == nil:
		for i, one := range list {
			all = p.under(all, manifest, one, append(slices.Clone(at), strconv.Itoa(i)))
		}
		return all
	default:
		return all
	}
	return append(all, file)
}

func isObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// marketRules are the marketplaces that the administrator allows and forbids.
type marketRules struct {
	allowed, blocked     []any
	allowedIn, blockedIn string // "" = there are no such rules
}

func marketPolicy(env setup.Env) (r marketRules) {
	files, _ := layers(env)
	for _, l := range files {
		if list, ok := l.settings["strictKnownMarketplaces"].([]any); ok && l.managed() {
			r.allowed, r.allowedIn = list, l.Path
		}
		if list, ok := l.settings["blockedMarketplaces"].([]any); ok && l.managed() {
			r.blocked, r.blockedIn = list, l.Path
		}
	}
	return r
}

// refuse returns why a plugin's marketplace is not allowed. Rules with patterns are not evaluated.
func (r marketRules) refuse(env setup.Env, p installed) []setup.BlockedError {
	if r.allowedIn == "" && r.blockedIn == "" {
		return nil
	}
	var markets map[string]marketplace
	_ = decode(env, filepath.Join(locate(env).ConfigHome, "plugins", "known_marketplaces.json"), &markets)
	_, name, _ := strings.Cut(p.id, "@")
	is := func(rule any) bool { return reflect.DeepEqual(rule, any(markets[name].Source)) }
	pattern := func(rule any) bool {
		m, _ := rule.(map[string]any)
		return m["hostPattern"] != nil || m["pathPattern"] != nil
	}
	var in string
	switch {
	case slices.ContainsFunc(r.blocked, is):
		in = r.blockedIn
	case r.allowedIn != "" && !slices.ContainsFunc(r.allowed, func(rule any) bool { return is(rule) || pattern(rule) }):
		in = r.allowedIn
	default:
		return nil
	}
	return []setup.BlockedError{{Why: fmt.Sprintf("%s does not allow the marketplace %s", in, name), Fix: "ask the administrator of this machine", Off: true}}
}
