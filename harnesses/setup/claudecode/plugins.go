package claudecode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/stdiorpc"
)

// pluginDirs names folders of plugins, in the environment or under env in settings.
const pluginDirs = "CLAUDE_CODE_PLUGIN_DIRS"

// askPlugins runs `claude plugin list --json` in the current folder, with copies of what says which plugins there are. It runs
// nothing, makes no connection, and writes only into dir (strace, 2.1.332). It takes 0.3 s.
func askPlugins(ctx context.Context, env setup.Env, binary, dir string) ([]setup.Plugin, error) {
	from := locate(env).ConfigHome
	files := map[string][]byte{".claude.json": trustedFolders(env)}
	for _, name := range []string{"settings.json", "plugins/installed_plugins.json", "plugins/known_marketplaces.json"} {
		files[name], _ = env.ReadIfThere(filepath.Join(from, filepath.FromSlash(name)))
	}
	dirs := harnesses.Inside(files["settings.json"], "env").String(pluginDirs) // the others may be secrets
	files["settings.json"] = harmless(jsonraw.Remove(files["settings.json"], "env"))
	err := os.Mkdir(filepath.Join(dir, "plugins"), 0o700)
	for name, content := range files {
		if len(content) > 0 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o600))
		}
	}
	if skills := filepath.Join(from, "skills"); env.IsDir(skills) {
		err = errors.Join(err, os.Symlink(skills, filepath.Join(dir, "skills")))
	}
	if err != nil {
		return nil, err
	}
	said, err := env.Run(ctx, stdiorpc.Program{
		Path: binary, Args: []string{"plugin", "list", "--json"}, Dir: env.Cwd,
		Env: append(quiet(env, dir), pluginDirs+"="+fromHome(env, cmp.Or(dirs, env.Getenv(pluginDirs)))),
	})
	if err != nil {
		return nil, err
	}
	return listedIn(said, filepath.Join(dir, "skills"), filepath.Join(from, "skills"))
}

// fromHome returns a list of folders without ~, because Claude Code is asked with another home.
func fromHome(env setup.Env, dirs string) string {
	return strings.Join(lists.Map(filepath.SplitList(dirs), func(dir string) string {
		if rest, inside := strings.CutPrefix(dir, "~/"); inside {
			return filepath.Join(env.Home, rest)
		}
		return dir
	}), string(filepath.ListSeparator))
}

// trustedFolders returns a .claude.json with the user's trust in the current folder and those above it.
func trustedFolders(env setup.Env) []byte {
	type trust struct {
		Trusted bool `json:"hasTrustDialogAccepted"`
	}
	user, _ := readState(env, stateFile(env))
	said := map[string]trust{}
	for name, of := range user.Projects {
		said[filepath.ToSlash(name)] = trust{of.Trusted}
	}
	return setup.JSONLine(map[string]any{"projects": said})
}

// invalidManifest is the error with which Claude Code loads no part of a plugin (2.1.332).
const invalidManifest = "manifest-validation-error"

// listedIn reads what Claude Code printed. Paths in the folder moved are in the folder original.
func listedIn(said []byte, moved, original string) (all []setup.Plugin, err error) {
	var list []struct {
		ID      string
		Enabled bool
		Path    string `json:"installPath"`
		Folder  string `json:"readFromFolder"` // in a marketplace that is a folder of this machine
		Errors  []string
		Details []struct{ Type string } `json:"errorDetails"`
	}
	if err := json.Unmarshal(said, &list); err != nil {
		return nil, err
	}
	for _, p := range list {
		if p.Path == "" {
			continue // it is part of Claude Code, or only a note
		}
		one := setup.Plugin{ID: p.ID, Root: cmp.Or(p.Folder, p.Path)}
		if rest, inside := strings.CutPrefix(one.Root, moved); inside {
			one.Root = original + rest
		}
		said := "Claude Code says of the plugin: " + strings.Join(p.Errors, "; ")
		switch {
		case !p.Enabled:
			one.Off = &setup.Reason{Why: "the plugin " + p.ID + " is switched off", Command: "claude plugin enable " + p.ID, Off: true}
		case slices.ContainsFunc(p.Details, func(d struct{ Type string }) bool { return d.Type == invalidManifest }):
			one.Off = &setup.Reason{Why: said, Fix: "correct its plugin.json, or remove the plugin"}
		case len(p.Errors) > 0:
			one.Unsure = said
		}
		all = append(all, one)
	}
	return all, nil
}

// pluginsOf returns the plugins as Claude Code lists them. If it was not asked, or has not answered, they are those that it recorded
// when it installed them.
func pluginsOf(env setup.Env) (all []setup.Plugin) {
	if env.Plugins != nil {
		if said, ok := env.Plugins(env, Harness()); ok {
			return said
		}
	}
	var records struct {
		Plugins map[string][]struct {
			Project string `json:"projectPath"`
			Path    string `json:"installPath"`
		}
	}
	_ = env.Decode(filepath.Join(locate(env).ConfigHome, "plugins", "installed_plugins.json"), setup.JSON, &records)
	for _, id := range slices.Sorted(maps.Keys(records.Plugins)) {
		for _, r := range records.Plugins[id] {
			if r.Path != "" && (r.Project == "" || slices.Contains(folders(env), env.Resolved(r.Project))) {
				all = append(all, setup.Plugin{ID: id, Root: r.Path, Unsure: "Claude Code was not asked whether it loads the plugin"})
				break
			}
		}
	}
	return all
}

// pluginFiles returns the hook files of plugins, those of plugins that are switched off included. If an empty variable hides the
// user's settings, they are the first.
func pluginFiles(env setup.Env) (all []setup.HookFile) {
	if p := locate(env); p.MovedBy == "" && p.Adrift.Why != "" {
		hidden := hookFile(filepath.Join(usual(env), "settings.json"), setup.OfUser)
		hidden.Blocked = []setup.Reason{p.Adrift}
		all = append(all, hidden)
	}
	off, offManaged, files := switchedOff(env, setup.OfPlugin), switchedOff(env, setup.OfManaged), layers(env)
	for _, p := range pluginsOf(env) {
		managed := slices.ContainsFunc(files, func(l layer) bool {
			return l.Origin == setup.OfManaged && setup.At(l.settings, "enabledPlugins", p.ID) == true
		})
		all = append(all, lists.Map(hookFiles(env, p), func(file setup.HookFile) setup.HookFile {
			if file.Blocked = slices.Clone(off); managed {
				file.Blocked = slices.Clone(offManaged)
			}
			if p.Off != nil {
				file.Blocked = append(file.Blocked, *p.Off)
			}
			file.Owner, file.Root, file.Unsure = p.ID, p.Root, p.Unsure
			return file
		})...)
	}
	return all
}

// hookFiles returns hooks/hooks.json of a plugin, and what its plugin.json names: the events, the path of a file, or a list of these.
func hookFiles(env setup.Env, p setup.Plugin) []setup.HookFile {
	all := []setup.HookFile{hookFile(filepath.Join(p.Root, "hooks", "hooks.json"), setup.OfPlugin)}
	manifest, said := manifestOf(env, p)
	if p.Off != nil && !p.Off.Off { // what it means by its hooks is not known
		return append(all, hookFile(manifest, setup.OfPlugin))
	}
	add := func(value any, at ...string) {
		switch value := value.(type) {
		case map[string]any:
			file := hookFile(manifest, setup.OfPlugin)
			file.Table = at
			all = append(all, file)
		case string:
			if path := filepath.Join(p.Root, filepath.FromSlash(value)); filepath.IsLocal(filepath.FromSlash(value)) && path != all[0].Path {
				all = append(all, hookFile(path, setup.OfPlugin))
			}
		}
	}
	list, several := said["hooks"].([]any)
	for i, value := range list {
		add(value, "hooks", strconv.Itoa(i))
	}
	if !several {
		add(said["hooks"], "hooks")
	}
	return all
}

// manifestOf returns the path of a plugin's plugin.json, and what is in it: nothing, if it cannot be read.
func manifestOf(env setup.Env, p setup.Plugin) (path string, said map[string]any) {
	path = filepath.Join(p.Root, ".claude-plugin", "plugin.json")
	_ = env.Decode(path, setup.JSON, &said) // other files of the plugin still count
	return path, said
}

// modules returns the mods of plugins: what a hook file has under modules runs inside Claude Code and sees every call.
func modules(env setup.Env) (all []setup.Hook) {
	for _, file := range pluginFiles(env) {
		content, _ := env.ReadIfThere(file.Path)
		top, _ := jsonraw.Object(content)
		at, _ := top.Find("modules")
		paths, _ := jsonraw.ArrayIn(at.Value)
		for _, raw := range paths {
			path, _ := jsonraw.Unquote(raw)
			path = filepath.Join(filepath.Dir(file.Path), filepath.FromSlash(path))
			h := setup.Hook{
				File: file.Path, Line: 1 + bytes.Count(content[:at.Start], []byte("\n")), Origin: file.Origin, Owner: file.Owner, Root: file.Root,
				Kind: setup.Module, Command: path, Program: path, Unsure: cmp.Or(file.Unsure, setup.UnreadCode),
			}
			h.Skip(file.Blocked...)
			all = append(all, h)
		}
	}
	return all
}

// bundled returns the servers of plugins that are not switched off. Claude Code starts one in addition to a configured server of the
// same name unless both have the same command line (2.1.197 and 2.1.329).
func bundled(env setup.Env) (all []setup.Server) {
	for _, p := range pluginsOf(env) {
		if p.Off != nil {
			continue
		}
		add := func(path string, table map[string]any) {
			if table != nil {
				found, _ := setup.MCPServers(path, setup.JSONLine(table), setup.Form{}) // an invalid one is ignored
				all = append(all, found...)
			}
		}
		manifest, said := manifestOf(env, p)
		add(manifest, setup.Table(said, "mcpServers"))
		var file map[string]any
		path := filepath.Join(p.Root, ".mcp.json")
		_ = env.Decode(path, setup.JSON, &file)
		if nested, there := file["mcpServers"]; there { // it may be left out
			file = setup.Table(nested)
		}
		add(path, file)
	}
	return all
}

// uninstall returns the command that removes a plugin, "" for one that is a folder
// (code.claude.com/docs/en/plugins/cli-reference, 2026-11).
func uninstall(id string) string {
	if strings.HasSuffix(id, "@skills-dir") || strings.HasSuffix(id, "@inline") {
		return ""
	}
	return "claude plugin uninstall " + id
}
