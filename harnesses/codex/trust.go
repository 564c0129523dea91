package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses"
)

// trustRecords returns, for each of wsi's hooks in the file, the record that Codex's own "Trust all"
// writes: [hooks.state."<file>:<event>:<group>:<handler>"] trusted_hash, in the user's config.toml,
// even for a project's hooks.
func trustRecords(env harnesses.Env, file harnesses.HookFile, content []byte) ([]harnesses.TrustRecord, error) {
	var doc map[string]any
	var err error
	if file.Format == harnesses.TOML {
		doc, err = parse(content)
	} else {
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		err = d.Decode(&doc)
	}
	if err != nil {
		return nil, harnesses.ConfigError{Path: file.Path, Err: err}
	}
	source, err := canonical(env, file.Path)
	if err != nil {
		return nil, err
	}
	var records []harnesses.TrustRecord
	for _, h := range ownHooks(doc) {
		hash, err := hookHash(h.event, h.matcher, h.handler)
		if err != nil {
			return nil, fmt.Errorf("%s: hooks.%s[%d].hooks[%d]: %w", file.Path, h.event, h.group, h.index, err)
		}
		records = append(records, harnesses.TrustRecord{
			File:  filepath.Join(locate(env).ConfigHome, "config.toml"),
			Table: []string{"hooks", "state", fmt.Sprintf("%s:%s:%d:%d", source, snake(h.event), h.group, h.index)},
			Key:   "trusted_hash", Value: hash,
		})
	}
	return records, nil
}

// hook is one hook in a file: hooks.<event>[group].hooks[index].
type hook struct {
	event        string
	group, index int
	matcher      any
	handler      map[string]any
}

// ownHooks returns the hooks of wsi in a decoded hook file.
func ownHooks(doc map[string]any) (own []hook) {
	hooks := table(doc["hooks"])
	for _, event := range slices.Sorted(maps.Keys(hooks)) {
		groups, _ := hooks[event].([]any)
		for g, group := range groups {
			handlers, _ := table(group)["hooks"].([]any)
			for i, handler := range handlers {
				command, _ := table(handler)["command"].(string)
				if r, ok := harnesses.ParseCommand(command); ok && r.Harness == ID {
					own = append(own, hook{event, g, i, table(group)["matcher"], table(handler)})
				}
			}
		}
	}
	return own
}

// canonical returns a hook file's path as Codex spells it in a record's key: CODEX_HOME with links resolved, the
// default home as it is, a project's folder as the kernel names it. If the file itself is a link, that link
// is not resolved (hooks/list of 0.169.0).
func canonical(env harnesses.Env, path string) (string, error) {
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

func snake(event string) string {
	hump := regexp.MustCompile(`([a-z])([A-Z])`)
	return strings.ToLower(hump.ReplaceAllString(event, "${1}_${2}"))
}

var (
	withoutMatcher  = []string{"UserPromptSubmit", "Stop"}
	withContextSize = []string{"PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "SubagentStart"}
)

// hookHash returns Codex's hash of one hook: SHA-256 of a canonical JSON. It equals currentHash in all tried cases of
// hooks/list (0.169.0).
func hookHash(event string, matcher any, handler map[string]any) (string, error) {
	timeout, err := seconds(handler["timeout"])
	if err != nil {
		return "", err
	}
	switch {
	case event == "SessionEnd" && handler["timeout"] == nil:
		timeout = 1
	case event == "SessionEnd":
		timeout = min(timeout, 3)
	}
	async, _ := handler["async"].(bool)
	hook := map[string]any{"type": "command", "command": handler["command"], "timeout": timeout, "async": async}
	if s, ok := handler["statusMessage"]; ok {
		hook["statusMessage"] = s
	}
	if n, ok := handler["additionalContextLimit"]; ok && fmt.Sprint(n) != "2500" && slices.Contains(withContextSize, event) {
		hook["additionalContextLimit"] = n
	}
	identity := map[string]any{"event_name": snake(event), "hooks": []any{hook}}
	if matcher != nil && !slices.Contains(withoutMatcher, event) {
		identity["matcher"] = matcher
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(identity); err != nil {
		return "", err
	}
	sum := sha256.Sum256(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func seconds(v any) (int64, error) {
	n := int64(600)
	var err error
	switch v := v.(type) {
	case nil:
	case json.Number:
		n, err = v.Int64()
	case int64:
		n = v
	default:
		err = fmt.Errorf("the timeout %v is not a whole number", v)
	}
	return max(n, 1), err
}
