package geminicli

import (
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses"
)

const timeout = 10_000 // milliseconds

// wiring registers hooks in settings.json, which holds the servers as well.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	inject := harnesses.ForPowerShell(env.GOOS, p.Command(env.GOOS, harnesses.Inject, ID))
	capture := harnesses.ForPowerShell(env.GOOS, p.Command(env.GOOS, harnesses.Capture, ID))
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

// keeps reports whether a character stays in a tool's name; others become "_".
func keeps(r rune) bool { return harnesses.WordOrHyphen(r) || r == '.' || r == ':' }

// A name that is too long keeps so much at each end, with dots between (0.61.0).
const longest, ends = 63, 30

// matcher returns a pattern for mcp_<server>_<tool>, even if the middle of the name is cut out.
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

// matches treats a matcher as an unanchored regular expression or, if it does not compile, as a name.
func matches(matcher string, ev harnesses.Event) bool {
	matcher, name := strings.TrimSpace(matcher), called(ev.Name)
	if matcher == "" || matcher == "*" {
		return true
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(name) || err != nil && matcher == name
}

// called returns the name under which the model calls a tool.
func called(name string) string {
	name = harnesses.SafeName(name, keeps)
	if len(name) > longest {
		name = name[:ends] + "..." + name[len(name)-ends:]
	}
	return name
}
