package claudecode

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// frontmatter returns the hooks at the top of skills, commands and agents. They run only while one of these is in use
// (2.1.197 and 2.1.330; those of a project's agents in 2.1.330 only if the user trusts the folder).
func frontmatter(env setup.Env) (all []setup.Hook) {
	for _, in := range []struct {
		dir string
		of  setup.Origin
	}{{locate(env).ConfigHome, setup.OfUser}, {filepath.Join(env.Cwd, ".claude"), setup.OfProject}} {
		add := func(path, kind, name string) {
			content, err := env.ReadIfThere(path)
			if err != nil {
				return
			}
			why := setup.Reason{Why: fmt.Sprintf("it runs only while the %s %s is in use", kind, name)}
			for _, h := range hooksAtTop(string(content)) {
				h.File, h.Origin = path, in.of
				h.Skip(why)
				all = append(all, h)
			}
		}
		for _, name := range env.Names(filepath.Join(in.dir, "skills")) {
			add(filepath.Join(in.dir, "skills", name, "SKILL.md"), "skill", name)
		}
		for _, kind := range []string{"command", "agent"} {
			folder := filepath.Join(in.dir, kind+"s")
			for _, file := range env.Names(folder) {
				if name, ok := strings.CutSuffix(file, ".md"); ok {
					add(filepath.Join(folder, file), kind, name)
				}
			}
		}
	}
	return slices.Clip(all)
}

// hooksAtTop returns the hooks between the first two lines "---" of a file. It reads only the usual form of YAML, with a
// line for each member, and misses others.
func hooksAtTop(content string) (all []setup.Hook) {
	var event, matcher string
	within := false
	for i, line := range strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n") {
		text := strings.TrimSpace(line)
		switch {
		case i == 0 && text == "---":
			continue
		case i == 0 || text == "---":
			return all
		case line != "" && line[0] != ' ' && line[0] != '-' && line[0] != '#':
			within = text == "hooks:"
			continue
		}
		key, value, ok := strings.Cut(strings.TrimLeft(text, "- "), ":")
		value = unquoted(strings.TrimSpace(value))
		switch {
		case !within || !ok:
		case value == "" && key != "hooks" && key != "matcher":
			event, matcher = key, ""
		case key == "matcher":
			matcher = value
		case key == "command" && value != "" && event != "":
			all = append(all, setup.Hook{Line: i + 1, Event: event, Matcher: matcher, Kind: "command", Command: value})
		}
	}
	return nil // the top does not end
}

// unquoted returns a YAML scalar without its quotes.
func unquoted(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '"' && s[0] != '\'' {
		return s
	}
	if s[0] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s[1 : len(s)-1])
}
