package doctor

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/rules"
)

// kinds are servers that built-in rules name, one for each set of rules.
func kinds() (names []string) {
	set := rules.Builtin()
	known := map[string]bool{}
	for _, server := range set.Servers() {
		all := ""
		for _, r := range set.For(server) {
			all += r.Name + "\n"
		}
		if !known[all] {
			names = append(names, server)
		}
		known[all] = true
	}
	return names
}

// serving registers another server with a harness in the place of the workflow-server, and wires it. as is
// whose rules it has, "" for those of its name.
func (w *world) serving(id, server, as string, way setup.Mode) {
	w.t.Helper()
	for file, content := range servers {
		w.write(file, strings.ReplaceAll(content, "workflow-server", server))
	}
	for _, file := range []string{claudeHooks, codexHooks, cursorHooks} {
		w.write(file, "{}")
	}
	w.remove(plugin)
	w.harnessList = []setup.Harness{w.rewireAs(id, way, server, as)}
}

// Every built-in rule is rehearsed with a server of its own kind, in every way, and all its values arrive.
func TestEveryKindIsRehearsed(t *testing.T) {
	if testing.Short() {
		t.Skip("it rehearses some thirty installations")
	}
	wired := slices.Clone(fronted)
	for _, id := range []string{"claude-code", "codex", "cursor", "opencode"} {
		wired = append(wired, fronting{id, setup.ByHooks})
	}
	for _, server := range kinds() {
		for _, c := range wired {
			t.Run(server+" in "+c.id+" by "+string(c.way), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "")
				if c.way != setup.ByRelay {
					w.needsShell(c.id)
				}
				w.serving(c.id, server, "", c.way)
				r := w.examine()
				id := c.id + ".token.delivered"
				if bad := withStatus(r, report.Fail); len(bad) > 0 {
					t.Errorf("broken: %v\n%s", bad, w.said(r, report.Fail))
				}
				if well := slices.Concat(withStatus(r, report.OK), withStatus(r, report.Info)); !slices.Contains(well, id) {
					t.Errorf("%s is not well:\n%s", id, w.said(r, report.Fail)+w.said(r, report.Warn))
				}
			})
		}
	}
}

// A server that is registered under another name is rehearsed by the rules that its user said it has.
func TestKindUnderAnotherName(t *testing.T) {
	t.Parallel()
	for _, way := range []setup.Mode{setup.ByHooks, setup.ByRelay} {
		w := newWorld(t, "")
		w.serving("codex", "mine", "claude-code-mcp", way)
		if r := w.examine(); !slices.Contains(withStatus(r, report.OK), "codex.token.delivered") {
			t.Errorf("by %s:\n%s", way, w.said(r, report.Fail)+w.said(r, report.Warn))
		}
	}
}

// Failures show with every kind of server.
func TestBrokenKinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	for name, c := range map[string]struct{ server, script, rules string }{
		"the token is damaged":      {"claude-code-mcp", `"$WSI" "$@" | sed 's/\("resumeToken":"[^"]*\)[^"]"/\1"/'`, ""},
		"nothing is captured":       {"claude-code", `case "$1" in capture) sed s/content/nothing/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, ""},
		"nothing is repaired":       {"clawed-abode", `case "$1" in inject) "$WSI" "$@" > /dev/null;; *) exec "$WSI" "$@";; esac`, ""},
		"no session is remembered":  {"localrouter", `case "$1" in capture) sed s/sessionId/id/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, ""},
		"other arguments are lost":  {"claude-code-mcp", `"$WSI" "$@" | sed 's/"step":"[^"]*",\{0,1\}//'`, ""},
		"all rules are turned off":  {"clawed-abode", "", "[[carry]]\nname = 'Clawed Abode session'\nenabled = false\n"},
		"sessions are mixed up":     {"tickets", `sed 's/"\(session_id\|conversation_id\|sessionID\|rootID\)":"[^"]*"/"\1":"x"/g' | "$WSI" "$@"`, ticketRules},
		"the user's is not carried": {"tickets", `case "$1" in capture) sed s/handle/handel/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, ticketRules},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			if c.rules != "" {
				w.write(".config/wsi/rules.toml", c.rules)
			}
			w.serving("codex", c.server, "", setup.ByHooks)
			w.standIn(c.script)
			if r := w.examine(); !slices.Equal(withStatus(r, report.Fail), []string{"codex.token.delivered"}) {
				t.Errorf("broken: %v\n%s", withStatus(r, report.Fail), w.said(r, report.Fail)+w.said(r, report.Warn))
			}
		})
	}
}
