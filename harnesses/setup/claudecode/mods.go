package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
)

// module is what a plugin's hook file has under modules: the path of a mod, which runs inside Claude Code and sees every
// call. Mods are on since 2.1.287; an older version ignores them. What follows was measured with 2.1.330 and 2.1.332.
type module struct {
	path, raw string // as the file has it, "" = none
	line      int
}

func moduleIn(content []byte) (m module) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	top, err := jsonraw.Object(content)
	at, there := top.Find("modules")
	if err != nil || !there {
		return m
	}
	m.raw, m.line = string(at.Value), 1+bytes.Count(content[:at.Start], []byte("\n"))
	var paths []string
	_ = json.Unmarshal(at.Value, &paths) // another value names none
	m.path = strings.Join(paths, ", ")
	return m
}

// modules returns the hooks that no file of hooks registers.
func modules(env setup.Env) []setup.Hook {
	all := frontmatter(env)
	switches := switchesOf(env)
	files, _ := layers(env)
	others := append(switches.of(setup.OfPlugin), onlyManagedMods(files)...)
	for _, p := range installedPlugins(env) {
		why := others
		if p.brought(files) {
			why = switches.of(setup.OfManaged)
		}
		all = append(all, p.mods(env, slices.Concat(why, p.off(), p.refused(files)))...)
	}
	return all
}

// mods returns the plugin's mods, which Claude Code skips for the reasons in why and if their file is missing.
func (p installed) mods(env setup.Env, why []setup.Reason) (all []setup.Hook) {
	for _, file := range p.hookFiles(env) {
		content, err := env.ReadIfThere(file.Path)
		m := moduleIn(content)
		if err != nil || file.Table != nil || m.raw == "" || m.raw == "[]" {
			continue
		}
		path := filepath.Join(filepath.Dir(file.Path), filepath.FromSlash(m.path))
		h := setup.Hook{
			File: file.Path, Line: m.line, Origin: file.Origin, Owner: p.id, Root: p.root,
			Kind: setup.Module, Command: path, Program: path, Entry: `"modules": ` + m.raw,
		}
		h.Skip(why...)
		if _, unread := env.ReadFile(path); unread != nil {
			h.Skip(setup.Reason{Why: "there is no module " + path, Fix: "install its plugin again"})
		}
		all = append(all, h)
	}
	return all
}

// brought reports whether the administrator switches the plugin on and names its marketplace, so that its mods are his.
func (p installed) brought(files []layer) bool {
	_, market, _ := strings.Cut(p.id, "@")
	return p.on && p.by.managed() && slices.ContainsFunc(managedIn(files), func(l layer) bool {
		source := setup.At(l.settings["extraKnownMarketplaces"], market, "source")
		return source != nil && reflect.DeepEqual(source, any(p.from.Source))
	})
}

// onlyManagedMods returns why Claude Code skips the mods of others than the administrator, if he wants that.
func onlyManagedMods(files []layer) (all []setup.Reason) {
	for _, l := range managedIn(files) {
		switch setup.At(l.settings, "pluginConfigs", "cc-plugin-sec-default@builtin", "options", "allowManagedModsOnly") {
		case nil:
		case false:
			all = nil
		default:
			all = []setup.Reason{{Why: "allowManagedModsOnly in " + l.Path + " allows only the administrator's mods", Fix: askAdministrator, Off: true}}
		}
	}
	return all
}
