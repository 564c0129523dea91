//go:build e2e

package live

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"wsi/internal/testkit/programtest"
)

var short = Scenario{
	Name: "short",
	Scripts: Scripts{"short": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_activity", Args: `{}`}},
	}},
	Runs: [][]string{{"short"}},
}

// TestBrokenHooksAreSeen shows that the suite does not just test itself: with the hook's answer broken
// on purpose the server receives something wrong, and the calls go through all the same.
func TestBrokenHooksAreSeen(t *testing.T) {
	for _, h := range installed {
		h.program(t)
		for name, c := range map[string]struct {
			script string // what stands in wsi's place; %[1]s is the real one
			want   string // regular expression
		}{
			"binary is gone":              {"", "missing"},
			"hook crashes":                {"#!/bin/sh\nkill -9 $$\n", "missing"},
			"hook prints garbage":         {"#!/bin/sh\necho '{\"hookSpecificOutput\":'\n", "missing"},
			"one character of the token":  {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/(session_token\":\")(.)(.)/\\1\\3\\2/'\n", "unknown"},
			"nothing is captured":         {"#!/bin/sh\n[ \"$1\" = capture ] || exec %[1]s \"$@\"\n", "missing"},
			"updatedInput is misspelt":    {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/updatedInput|\"set\"/\"x\"/'\n", "missing"},
			"decision of another harness": {otherDecision(h.id), "missing"},
			"answer is written down":      {"#!/bin/sh\n%[1]s \"$@\" | tee -a ~/debug.log\n", "a token in debug.log"},
			"token is told to the model":  {toldToTheModel(h.id), "[1-9] leaks"},
		} {
			if c.script == "skip" {
				continue
			}
			t.Run(h.String()+", "+name, func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, "")
				replaceWsi(t, r, c.script)
				seesWrong(t, r, c.want)
			})
		}
	}
}

// seesWrong checks that the server gets every call, and something wrong.
func seesWrong(t *testing.T, r *Rig, want string) {
	t.Helper()
	o, err := short.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if o.OK() || o.Calls != o.Expected || !regexp.MustCompile(want).MatchString(o.String()) {
		t.Errorf("%s, want every call, and %s", o, want)
	}
}

// replaceWsi puts a script into wsi's place, in which %[1]s is the real one; "" = nothing.
func replaceWsi(t *testing.T, r *Rig, script string) {
	t.Helper()
	if err := os.Remove(r.wsi); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(script, "%[1]s") {
		script = fmt.Sprintf(script, wsi)
	}
	if script == "" {
		return
	}
	if err := programtest.WriteFile(r.wsi, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// otherDecision is an answer that another harness would take. Claude Code takes Codex's, too, which
// is why doctor judges answers by each harness's rules and not by their effect alone.
func otherDecision(harness string) string {
	if harness == "codex" {
		return "#!/bin/sh\n%[1]s \"$@\" | sed -E 's/\"permissionDecision\":\"allow\",//'\n"
	}
	return "skip"
}

// toldToTheModel is an answer with the token in a note for the model. OpenCode's plugin takes none.
func toldToTheModel(harness string) string {
	if harness == "opencode" {
		return "skip"
	}
	return "#!/bin/sh\n%[1]s \"$@\" | sed -E 's/^(.\"hookSpecificOutput\":.)(.*session_token\":\")([^\"]+)/\\1\"additionalContext\":\"\\3\",\\2\\3/'\n"
}
