package geminicli

import (
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses"
)

const timeout = 10_000 // milliseconds

// wiring registers in settings.json, beside the servers.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	inject, capture := p.Command(env.GOOS, harnesses.Inject, ID), p.Command(env.GOOS, harnesses.Capture, ID)
	m := matcher(p.Servers)
	return harnesses.Wiring{Hooks: []harnesses.HookFile{{
		Path: settings(env, scope), Format: harnesses.JSONC, Shape: harnesses.Grouped,
		Entries: []harnesses.Entry{
			{Event: "BeforeTool", Matcher: m, Command: inject, Timeout: timeout},
			{Event: "AfterTool", Matcher: m, Command: capture, Timeout: timeout},
		},
	}}}, nil
}

func settings(env harnesses.Env, scope harnesses.Scope) string {
	if scope == harnesses.Project {
		return filepath.Join(env.Cwd, ".gemini", "settings.json")
	}
	return filepath.Join(dir(env), "settings.json")
}

// keeps is what stays of a tool's name; every other character becomes "_".
func keeps(r rune) bool { return harnesses.WordOrHyphen(r) || r == '.' || r == ':' }

// Of a name that is too long, so much stays at either end, with dots between (0.61.0).
const longest, ends = 63, 30

// matcher matches mcp_<server>_<tool>, also where the middle of it is cut out.
func matcher(servers []string) string {
	names := make([]string, len(servers))
	for i, s := range servers {
		name := harnesses.SafeName(s, keeps) + "_"
		names[i] = regexp.QuoteMeta(name[:min(len(name), ends-len("mcp_"))])
	}
	if len(names) == 1 {
		return "^mcp_" + names[0]
	}
	return "^mcp_(" + strings.Join(names, "|") + ")"
}

// matches: a matcher is an unanchored regular expression, or else a name.
func matches(matcher string, ev harnesses.Event) bool {
	matcher, name := strings.TrimSpace(matcher), called(ev.Name)
	if matcher == "" || matcher == "*" {
		return true
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(name) || err != nil && matcher == name
}

// called is the name under which the model calls a tool.
func called(name string) string {
	name = harnesses.SafeName(name, keeps)
	if len(name) > longest {
		name = name[:ends] + "..." + name[len(name)-ends:]
	}
	return name
}
