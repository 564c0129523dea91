package codex

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"wsi/harnesses/setup"
	"wsi/internal/rawjson"
)

// inText returns what Codex refuses in a valid JSON text, though package json does not: a member that it knows and that is
// there twice, and text that is not Unicode (0.169.0).
func inText(content []byte) *setup.InvalidConfigError {
	if !utf8.Valid(content) || halfCharacter(content) {
		return &setup.InvalidConfigError{Why: "it contains text that is not valid Unicode", Fix: "save it as UTF-8"}
	}
	if place := twice(content); place != "" {
		return &setup.InvalidConfigError{Place: place, Why: "it is there twice", Fix: "remove one of the two"}
	}
	return nil
}

// halfCharacter reports whether a text has the escape of one half of a surrogate pair without the other.
func halfCharacter(content []byte) bool {
	unit := func(at int) (r rune, ok bool) {
		if at+6 > len(content) || content[at] != '\\' || content[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(content[at+2:at+6]), 16, 32)
		return rune(n), err == nil
	}
	for i := 0; i < len(content); i++ {
		if content[i] != '\\' {
			continue
		}
		if first, ok := unit(i); ok && utf16.IsSurrogate(first) {
			second, _ := unit(i + 6)
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return true
			}
			i += 6
		}
		i++ // the escaped character may be a backslash
	}
	return false
}

// knownFields returns the members of a hook of a type. Others may be there twice.
func knownFields(kind string) [][]string {
	switch kind {
	case "command":
		return [][]string{{"type"}, {"command"}, {"commandWindows", "command_windows"}, {"timeout"}, {"async"}, {"statusMessage"}, {"additionalContextLimit"}}
	case "mcp_tool":
		return [][]string{{"type"}, {"server"}, {"tool"}, {"input"}, {"timeout"}, {"statusMessage"}}
	case "prompt", "agent":
		return [][]string{{"type"}}
	}
	return nil
}

// twice returns the place of a known member that is there twice, "" if there is none.
func twice(content []byte) (place string) {
	root, _ := rawjson.Object(content)
	if name := repeated(root, []string{"description"}, []string{"hooks"}); name != "" {
		return name
	}
	all, _ := rawjson.ObjectIn(root.Get("hooks"))
	for _, event := range events {
		if repeated(all, []string{event}) != "" {
			return "hooks." + event
		}
		groups, _ := rawjson.ArrayIn(all.Get(event))
		for g, raw := range groups {
			group, _ := rawjson.ObjectIn(raw)
			place := fmt.Sprintf("hooks.%s[%d]", event, g)
			if name := repeated(group, []string{"matcher"}, []string{"hooks"}); name != "" {
				return place + "." + name
			}
			hooks, _ := rawjson.ArrayIn(group.Get("hooks"))
			for i, raw := range hooks {
				hook, _ := rawjson.ObjectIn(raw)
				if name := repeated(hook, knownFields(hook.String("type"))...); name != "" {
					return fmt.Sprintf("%s.hooks[%d].%s", place, i, name)
				}
			}
		}
	}
	return ""
}

// repeated returns a member that is there twice, under any of its names.
func repeated(in rawjson.Members, fields ...[]string) string {
	for _, names := range fields {
		n := 0
		for _, m := range in {
			if slices.ContainsFunc(names, m.Is) {
				n++
			}
		}
		if n > 1 {
			return names[0]
		}
	}
	return ""
}
