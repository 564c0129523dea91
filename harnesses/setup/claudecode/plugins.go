package claudecode

import (
	"cmp"
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
	by      layer       // the settings file that switches it on or off, if one does
	from    marketplace // empty if it is not known
	market  string      // its marketplace.json, "" = not known
	entry   entry       // what that says of the plugin
	at      int         // the entry's index
	missing string      // why Claude Code does not find it, "" = it does

	ofProject    bool   // it is one of a project's skills
	held, remedy string // why Claude Code does not load it from its folder, "" = it does
}

// entry is a plugin in a marketplace, or its plugin.json.
type entry struct {
	Name   string `json:"name"`
	Source any    `json:"source"`
	Strict *bool  `json:"strict"`

	MCP   json.RawMessage `json:"mcpServers"`
	Hooks json.RawMessage `json:"hooks"`
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

// installedPlugins returns the plugins by their names. A file that cannot be read is skipped.
func installedPlugins(env setup.Env) (all []installed) {
	folder := filepath.Join(locate(env).ConfigHome, "plugins")
	var records struct {
		Plugins map[string][]record `json:"plugins"`
	}
	var markets map[string]marketplace
	_ = env.Decode(filepath.Join(folder, "installed_plugins.json"), setup.JSON, &records)
	_ = env.Decode(filepath.Join(folder, "known_marketplaces.json"), setup.JSON, &markets)
	found := map[string]installed{}
	for id := range records.Plugins {
		found[id] = installed{}
	}
	files, _ := layers(env)
	for _, l := range files { // the strongest comes last
		for id, value := range setup.Table(l.settings, "enabledPlugins") {
			found[id] = installed{on: value != false, by: l}
		}
	}
	entries := map[string][]entry{}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		p := found[id]
		p.id = id
		name, of, _ := strings.Cut(id, "@")
		if p.from = markets[of]; p.from.Location == "" {
			p.missing = "the marketplace " + of + " is not known"
		} else {
			p.market = filepath.Join(p.from.Location, ".claude-plugin", "marketplace.json")
			if entries[of] == nil {
				entries[of] = listed(env, p.market)
			}
			p.at = slices.IndexFunc(entries[of], func(e entry) bool { return e.Name == name })
			switch {
			case entries[of] == nil:
				p.missing = "the marketplace " + of + " cannot be read at " + p.market
			case p.at < 0:
				p.missing = "the marketplace " + of + " does not list it"
			default:
				p.entry = entries[of][p.at]
			}
		}
		if p.root = p.inMarketplace(); p.root == "" {
			p.root = installedAt(env, records.Plugins[id])
		}
		if p.root != "" {
			all = append(all, p)
		}
	}
	folders := loose(env, files, all)
	hold(all, folders)
	return append(all, folders...)
}

// hold marks the installed plugins in whose place a folder of the same name is used.
func hold(all, folders []installed) {
	first := map[string]string{}
	for _, o := range folders {
		if o.in(inline) && o.on && o.held == "" {
			first[o.name()] = cmp.Or(first[o.name()], o.id)
		}
	}
	for i := range all {
		if id := first[all[i].name()]; id != "" {
			all[i].held = id + " comes first"
		}
	}
}

func listed(env setup.Env, path string) []entry {
	var market struct {
		Plugins []entry `json:"plugins"`
	}
	if env.Decode(path, setup.JSON, &market) != nil {
		return nil
	}
	return market.Plugins
}

// inMarketplace returns the plugin's folder if it stays in its marketplace, else "": then it is copied when it is installed.
func (p installed) inMarketplace() string {
	path, _ := p.entry.Source.(string)
	if kind := p.from.Source["source"]; path == "" || kind != "directory" && kind != "file" {
		return ""
	}
	return filepath.Join(p.from.Location, filepath.FromSlash(path))
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

// pluginFiles returns the files of plugins that register hooks, those of plugins that are switched off included. If an empty
// variable hides the user's settings, they are the first.
func pluginFiles(env setup.Env) (all []setup.HookFile) {
	if p := locate(env); p.MovedBy == "" && p.Adrift.Why != "" {
		hidden := hookFile(filepath.Join(usual(env), "settings.json"), setup.OfUser)
		hidden.Blocked = []setup.Reason{p.Adrift}
		all = append(all, hidden)
	}
	switches := switchesOf(env)
	files, _ := layers(env)
	for _, p := range installedPlugins(env) {
		of := setup.OfPlugin
		if p.on && p.by.managed() && !p.in(ofSkills) && !p.in(inline) {
			of = setup.OfManaged
		}
		why := slices.Concat(switches.of(of), p.off(), p.refused(files))
		for _, file := range p.hookFiles(env) {
			file.Owner, file.Root, file.Blocked = p.id, p.root, append(slices.Clip(why), file.Blocked...)
			all = append(all, file)
		}
	}
	return all
}

func (p installed) off() (all []setup.Reason) {
	where := "not switched on under enabledPlugins"
	if p.by.Path != "" {
		where = "switched off in " + p.by.Path
	}
	if !p.on {
		all = append(all, setup.Reason{Why: "the plugin " + p.id + " is " + where, Fix: "claude plugin enable " + p.id, Off: true})
	}
	if p.missing != "" {
		all = append(all, setup.Reason{Why: "Claude Code does not load the plugin " + p.id + ": " + p.missing, Fix: "claude plugin marketplace update"})
	}
	if p.held != "" {
		all = append(all, setup.Reason{Why: "Claude Code does not load the plugin " + p.id + ": " + p.held, Fix: cmp.Or(p.remedy, "give it another name")})
	}
	return all
}

// refused returns why the administrator does not allow a plugin's marketplace. Rules with patterns are not evaluated.
func (p installed) refused(files []layer) []setup.Reason {
	files = managedIn(files)
	allowed, allowedBy := last[[]any](files, "strictKnownMarketplaces")
	blocked, blockedBy := last[[]any](files, "blockedMarketplaces")
	is := func(rule any) bool { return reflect.DeepEqual(rule, any(p.from.Source)) }
	local := slices.Contains([]any{"directory", "file"}, p.from.Source["source"])
	pattern := func(rule any) bool {
		return !p.in(ofSkills) && setup.At(rule, map[bool]string{true: "pathPattern", false: "hostPattern"}[local]) != nil
	}
	by := allowedBy
	switch {
	case p.in(inline):
		return nil
	case slices.ContainsFunc(blocked, is):
		by = blockedBy
	case by.Path == "" || slices.ContainsFunc(allowed, func(rule any) bool { return is(rule) || pattern(rule) }):
		return nil
	}
	_, name, _ := strings.Cut(p.id, "@")
	return []setup.Reason{{Why: fmt.Sprintf("%s does not allow the marketplace %s", by.Path, name), Fix: askAdministrator, Off: true}}
}

// manifest returns the path of the plugin's plugin.json, and what is in it: nothing, if it cannot be read.
func (p installed) manifest(env setup.Env) (path string, said entry) {
	path = manifestPath(p.root)
	_ = env.Decode(path, setup.JSON, &said) // other files of the plugin still count
	return path, said
}

// hookFiles returns the plugin's files. Hooks in the marketplace's entry replace all others. Otherwise hooks/hooks.json counts,
// and what plugin.json has under hooks (2.1.197 and 2.1.330).
func (p installed) hookFiles(env setup.Env) (all []setup.HookFile) {
	manifest, said := p.manifest(env)
	if isObject(p.entry.Hooks) {
		file := hookFile(p.market, setup.OfPlugin)
		file.Table = []string{"plugins", strconv.Itoa(p.at), "hooks"}
		if p.entry.Strict != nil && !*p.entry.Strict && len(said.Hooks) > 0 {
			file.Blocked = []setup.Reason{{Why: "both plugin.json and the marketplace have hooks of " + p.id + ", so Claude Code does not load it", Fix: "tell its authors"}}
		}
		return []setup.HookFile{file}
	}
	all = []setup.HookFile{hookFile(filepath.Join(p.root, "hooks", "hooks.json"), setup.OfPlugin)}
	each(said.Hooks, []string{"hooks"}, func(_ json.RawMessage, at []string) {
		file := hookFile(manifest, setup.OfPlugin)
		file.Table = at
		all = append(all, file)
	}, func(path string) {
		file := hookFile(filepath.Join(p.root, path), setup.OfPlugin)
		if filepath.IsLocal(path) && !slices.ContainsFunc(all, func(f setup.HookFile) bool { return f.Path == file.Path }) {
			all = append(all, file)
		}
	})
	return all
}

// each calls a function for what a manifest has under hooks or mcpServers: an object, the path of a file, or a list of these. at
// is the path of keys and indexes to it.
func each(raw json.RawMessage, at []string, object func(raw json.RawMessage, at []string), file func(path string)) {
	var path string
	var list []json.RawMessage
	switch {
	case isObject(raw):
		object(raw, at)
	case json.Unmarshal(raw, &path) == nil && path != "":
		file(filepath.FromSlash(path))
	case json.Unmarshal(raw, &list) == nil:
		for i, one := range list {
			each(one, append(slices.Clone(at), strconv.Itoa(i)), object, file)
		}
	}
}

func isObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// bundled returns the servers of the enabled plugins. Those among a project's skills wait for an approval. Claude Code starts one in addition to a configured server of the same name
// unless both have the same command line (2.1.197 and 2.1.329). A file that cannot be read is skipped.
func bundled(env setup.Env) (all []setup.Server) {
	for _, p := range installedPlugins(env) {
		if p.on && p.held == "" && !p.ofProject {
			all = append(all, p.servers(env)...)
		}
	}
	return all
}

// servers returns the plugin's servers. Of several with the same name, the first counts.
func (p installed) servers(env setup.Env) (all []setup.Server) {
	add := func(path string, raw json.RawMessage) {
		found, _ := setup.MCPServers(path, raw, setup.Form{}) // an invalid one is ignored
		for _, s := range found {
			if !slices.ContainsFunc(all, func(o setup.Server) bool { return o.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	file := func(path string) { // with or without "mcpServers" around them
		path = filepath.Join(p.root, path)
		var said map[string]json.RawMessage
		_ = env.Decode(path, setup.JSON, &said)
		raw, nested := said["mcpServers"]
		if !nested && len(said) > 0 {
			raw, _ = json.Marshal(said) // cannot fail: it was JSON
		}
		add(path, raw)
	}
	manifest, said := p.manifest(env)
	each(said.MCP, nil, func(raw json.RawMessage, _ []string) { add(manifest, raw) }, file)
	file(".mcp.json")
	each(p.entry.MCP, nil, func(raw json.RawMessage, _ []string) { add(p.market, raw) }, file)
	return all
}
