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
	"strconv"
	"strings"
	"time"

	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
)

// trustRecords returns, for each of wsi's hooks in the file, the record that Codex's own "Trust all" writes:
// [hooks.state."<file>:<event>:<group>:<handler>"] trusted_hash, in the user's config.toml, even for a project's hooks.
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
	var records []setup.TrustRecord
	for _, h := range ownHooks(doc) {
		hash, err := hookHash(h.event, h.matcher, h.handler)
		if err != nil {
			return nil, fmt.Errorf("%s: hooks.%s[%d].hooks[%d]: %w", file.Path, h.event, h.group, h.index, err)
		}
		records = append(records, setup.TrustRecord{
			File:  filepath.Join(locate(env).ConfigHome, "config.toml"),
			Table: []string{"hooks", "state", h.key(source)},
			Key:   "trusted_hash", Value: hash,
		})
	}
	return records, nil
}

// decodeHooks decodes a hook file. Numbers of JSON keep their text.
func decodeHooks(file setup.HookFile, content []byte) (doc map[string]any, err error) {
	if file.Format == setup.TOML {
		doc, err = parse(content)
	} else {
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		err = d.Decode(&doc)
	}
	if err != nil {
		return nil, setup.ConfigError{Path: file.Path, Err: err}
	}
	return doc, nil
}

// hook is one hook in a file: hooks.<event>[group].hooks[index].
type hook struct {
	event        string
	group, index int
	matcher      any
	handler      map[string]any
}

// key returns the name of a hook's record. source is the canonical path of its file, or the name of a plugin's file.
func (h hook) key(source string) string {
	return fmt.Sprintf("%s:%s:%d:%d", source, snake(h.event), h.group, h.index)
}

func hookAt(doc map[string]any, event string, group, index int) hook {
	of := setup.Table(doc, "hooks", event, strconv.Itoa(group))
	return hook{event, group, index, of["matcher"], setup.Table(of, "hooks", strconv.Itoa(index))}
}

// hooksIn returns the hooks in a decoded hook file, of any program. Indexes count everything in the file.
func hooksIn(doc map[string]any) (all []hook) {
	for _, event := range slices.Sorted(maps.Keys(setup.Table(doc, "hooks"))) {
		groups, _ := setup.At(doc, "hooks", event).([]any)
		for g, group := range groups {
			handlers, _ := setup.At(group, "hooks").([]any)
			for i := range handlers {
				all = append(all, hookAt(doc, event, g, i))
			}
		}
	}
	return all
}

// ownHooks returns the hooks of wsi in a decoded hook file.
func ownHooks(doc map[string]any) []hook {
	return slices.DeleteFunc(hooksIn(doc), func(h hook) bool {
		command, _ := h.handler["command"].(string)
		r, ok := setup.ParseCommand(command)
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
	changed bool // it is of another form of the hook
	off     bool // enabled = false
}

// approvalOf reads the record of a hook with this key and hash. state is [hooks.state] of the user's config.toml: Codex
// reads no other file's (hooks/list of 0.169.0).
func approvalOf(state map[string]any, key, hash string) approval {
	record := setup.Table(state, key)
	said, seen := record["trusted_hash"].(string)
	return approval{seen: seen, changed: seen && said != hash, off: record["enabled"] == false}
}

// What the hash of a hook does not cover, or covers only for some events (hooks/list of 0.169.0).
var (
	withoutMatcher  = []string{"UserPromptSubmit", "Stop", "PreModelRequest", "PostModelRequest", "Interrupt"}
	withContextSize = []string{"PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "SubagentStart"}
	shortened       = []string{"SessionEnd", "Interrupt"} // their timeout is 1 to 3 seconds
)

// hookHash returns Codex's hash of one hook: SHA-256 of a canonical JSON. It equals currentHash in all tried cases of
// hooks/list (0.169.0).
func hookHash(event string, matcher any, handler map[string]any) (string, error) {
	timeout, err := seconds(event, handler["timeout"])
	if err != nil {
		return "", err
	}
	hook := map[string]any{"type": handler["type"], "timeout": timeout}
	switch handler["type"] {
	case "mcp_tool":
		hook["server"], hook["tool"], hook["input"] = handler["server"], handler["tool"], map[string]any{}
		if input := setup.Table(handler, "input"); input != nil {
			hook["input"] = wrapNumbers(input)
		}
	default:
		async, _ := handler["async"].(bool)
		hook["type"], hook["command"], hook["async"] = "command", handler["command"], async
		if n := handler["additionalContextLimit"]; n != nil && fmt.Sprint(n) != "2500" && slices.Contains(withContextSize, event) {
			hook["additionalContextLimit"] = n
		}
	}
	if s := handler["statusMessage"]; s != nil {
		hook["statusMessage"] = s
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
	// Codex does not write two escapes of package json. The pair of backslashes comes first, so that none is taken for the beginning
	// of an escape.
	asRust := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")
	sum := sha256.Sum256([]byte(asRust.Replace(strings.TrimSuffix(text.String(), "\n"))))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// wrapNumbers replaces the numbers in the input of a hook of type mcp_tool by what 0.169.0 makes of them: an object with
// their text.
func wrapNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, one := range v {
			all[key] = wrapNumbers(one)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = wrapNumbers(one)
		}
		return all
	case json.Number:
		if v == "-0" {
			v = "0"
		}
		return number(withPlus(v.String()))
	case int64:
		return number(strconv.FormatInt(v, 10))
	case float64: // of a TOML file
		return number(float(v))
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case fmt.Stringer: // a date or a time of a TOML file
		return v.String()
	}
	return v
}

func number(text string) any { return map[string]any{"$serde_json::private::Number": text} }

func withPlus(number string) string {
	digits, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if !ok {
		return number
	}
	if exponent[0] != '-' && exponent[0] != '+' {
		exponent = "+" + exponent
	}
	return digits + "e" + exponent
}

// float writes a number as Codex does: 1.0, 1e+30, 1.5e-7.
func float(f float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	if n < -5 || n > 15 {
		return withPlus(digits + "e" + strconv.Itoa(n))
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func snake(event string) string {
	hump := regexp.MustCompile(`([a-z])([A-Z])`)
	return strings.ToLower(hump.ReplaceAllString(event, "${1}_${2}"))
}

func seconds(event string, v any) (int64, error) {
	n := int64(600)
	if slices.Contains(shortened, event) {
		n = 1
	}
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
	if slices.Contains(shortened, event) {
		n = min(n, 3)
	}
	return max(n, 1), err
}
