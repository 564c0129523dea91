package codex

import (
	"fmt"
	"regexp"
	"slices"
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
	const first, second = `\\u[dD][89abAB][[:xdigit:]]{2}`, `\\u[dD][c-fC-F][[:xdigit:]]{2}`
	escapes := regexp.MustCompile(first+`(`+second+`)?|`+second+`|\\.`).FindAll(content, -1)
	return slices.ContainsFunc(escapes, func(e []byte) bool { return len(e) == len(`\uD800`) })
}

// knownFields returns the members of a hook of a type, each with its names. Others may be there twice.
func knownFields(kind string) (all [][]string) {
	of, known := groups().Types[kind]
	if known {
		all = append(all, []string{"type"})
	}
	if kind == "command" {
		all = append(all, []string{"commandWindows", "command_windows"})
	}
	for _, name := range of.Required {
		all = append(all, []string{name})
	}
	for _, field := range of.Optional {
		all = append(all, []string{field.Name})
	}
	return all
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
