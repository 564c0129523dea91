package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// trustRecords returns, for each of wsi's hooks in the file, the record that Codex's own "Trust all" writes:
// [hooks.state."<file>:<event>:<group>:<handler>"] trusted_hash, in the user's config.toml, even for a project's hooks. The hash
// is Codex's; without its program it is "".
// wsi edits the file itself, and afterwards asks hooks/list whether Codex takes the approval. Codex's own config/batchWrite
// changed other bytes of 4 in 7 tried files (0.169.0): it removes a BOM, turns CRLF into LF, and rewrites inline tables and
// dotted keys. It also makes 6 to 12 files in CODEX_HOME. So the plan would not be what was shown, or the undo exact.
func trustRecords(env setup.Env, file setup.HookFile, content []byte) ([]setup.TrustRecord, error) {
	doc, err := decodeHooks(file, content)
	if err != nil {
		return nil, err
	}
	source, err := canonical(env, file.Path)
	if err != nil {
		return nil, err
	}
	own := ownHooks(doc)
	if len(own) == 0 {
		return nil, nil
	}
	_, said := Harness().Answer(env, file, content)
	return lists.Map(own, func(h setup.Hook) setup.TrustRecord {
		return setup.TrustRecord{
			File: userConfig(env), Table: []string{"hooks", "state", key(source, h)}, Key: "trusted_hash", Value: said.Hashes[place(h)],
		}
	}), nil
}

// decodeHooks decodes a hook file. Numbers of JSON keep their text.
func decodeHooks(file setup.HookFile, content []byte) (doc map[string]any, err error) {
	if file.Format == setup.TOML {
		doc, err = parse(content)
	} else {
		doc, err = setup.DecodeJSON[map[string]any](content)
	}
	if err != nil {
		return nil, setup.ConfigError{Path: file.Path, Err: err}
	}
	return doc, nil
}

// key returns the name of a hook's record. source is the canonical path of its file, or the name of a plugin's file.
func key(source string, h setup.Hook) string {
	hump := regexp.MustCompile(`([a-z])([A-Z])`)
	return fmt.Sprintf("%s:%s:%d:%d", source, strings.ToLower(hump.ReplaceAllString(h.Event, "${1}_${2}")), h.Group, h.Handler)
}

// place names a hook within its file, as in [setup.Answer.Hashes].
func place(h setup.Hook) string { return fmt.Sprintf("%s:%d:%d", h.Event, h.Group, h.Handler) }

// hooksIn returns the hooks in a decoded hook file, of any program. Indexes count everything in the file.
func hooksIn(doc map[string]any) (all []setup.Hook) {
	for _, event := range slices.Sorted(maps.Keys(setup.Table(doc, "hooks"))) {
		groups, _ := setup.At(doc, "hooks", event).([]any)
		for g, group := range groups {
			handlers, _ := setup.At(group, "hooks").([]any)
			for i, handler := range handlers {
				command, _ := setup.At(handler, "command").(string)
				all = append(all, setup.Hook{Event: event, Group: g, Handler: i, Command: command})
			}
		}
	}
	return all
}

// ownHooks returns the hooks of wsi in a decoded hook file.
func ownHooks(doc map[string]any) []setup.Hook {
	return slices.DeleteFunc(hooksIn(doc), func(h setup.Hook) bool {
		r, ok := setup.ParseCommand(h.Command)
		return !ok || r.Harness != codex.ID
	})
}

// canonical returns a hook file's path as Codex spells it in a record's key: CODEX_HOME with links resolved, the default home as it
// is, a project's folder as the kernel names it. If the file itself is a link, that link is not resolved (hooks/list of 0.169.0).
func canonical(env setup.Env, path string) (string, error) {
	home := locate(env)
	base := home.ConfigHome
	switch {
	case filepath.Dir(path) != home.ConfigHome:
		base = env.Cwd
	case home.MovedBy == "":
		return path, nil
	}
	rest, err := filepath.Rel(base, path)
	if err != nil || env.Resolve == nil {
		return path, err
	}
	resolved, err := env.Resolve(base)
	for errors.Is(err, fs.ErrNotExist) && base != filepath.Dir(base) { // it will be created
		rest, base = filepath.Join(filepath.Base(base), rest), filepath.Dir(base)
		resolved, err = env.Resolve(base)
	}
	return filepath.Join(resolved, rest), err
}

// approval is what the user has said of a hook, as [hooks.state] records it.
type approval struct {
	seen    bool // there is a record of an approval
	unknown bool // whether it is of this form of the hook
	changed bool // it is of another form of the hook
	off     bool // enabled = false
}

// approvalOf reads the record of a hook with this key and hash, "" = not known. state is [hooks.state] of the user's
// config.toml: Codex reads no other file's (hooks/list of 0.169.0).
func approvalOf(state map[string]any, key, hash string) approval {
	record := setup.Table(state, key)
	said, seen := record["trusted_hash"].(string)
	return approval{seen: seen, unknown: seen && hash == "", changed: seen && hash != "" && said != hash, off: record["enabled"] == false}
}
