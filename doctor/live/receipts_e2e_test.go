//go:build e2e

package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// converse has the model work through a script. The names of tools are those of the harness.
func (h *hookTrial) converse(name string, script Script) {
	h.t.Helper()
	h.rig.Model.scripts = Scripts{name: script}
	ofServer := h.rig.Model.tool
	h.rig.Model.tool = func(tool string) string {
		if tool[0] >= 'A' && tool[0] <= 'Z' { // of Claude Code's own
			return tool
		}
		return ofServer(tool)
	}
	args, env := h.rig.driver.command(h.rig, name, "", "Work through the script. "+marker(name))
	if out, err := h.rig.run(h.t.Context(), h.rig.binary, append(args, h.args...), env); err != nil {
		h.t.Fatalf("%v\n%s", err, tail(out))
	}
}

// receiptRow is a row of `wsi hooks --json` with what is recorded.
type receiptRow struct {
	Command, State, Record, Reason string

	Runs, Failed, Blocked, Calls int
	Last                         time.Time
	MedianMS                     int `json:"median_ms"`
}

// list runs wsi hooks, and returns whether the check failed and the rows by the last word of the command.
func (h *hookTrial) list() (fault bool, rows map[string]receiptRow) {
	h.t.Helper()
	_, env := h.rig.driver.command(h.rig, "main", "", "")
	env = append(env, "PATH="+filepath.Dir(h.rig.binary)+string(os.PathListSeparator)+os.Getenv("PATH")) // it is asked for its plugins
	out, err := h.rig.run(h.t.Context(), h.rig.wsi, []string{"hooks", "--check", "--json", "--harness", h.rig.id}, env)
	var list struct{ Hooks []receiptRow }
	if wrong := json.Unmarshal(out, &list); wrong != nil {
		h.t.Fatalf("%v, %v\n%s", wrong, err, out)
	}
	text, _ := h.rig.run(h.t.Context(), h.rig.wsi, []string{"hooks", "--harness", h.rig.id}, env) // the check said how it ends
	h.t.Logf("%s", text)
	rows = map[string]receiptRow{}
	for _, r := range list.Hooks {
		words := strings.Fields(r.Command)
		rows[filepath.Base(words[len(words)-1])] = r
	}
	return err != nil, rows
}

// TestReceipts compares what `wsi hooks` says of hooks of each kind with what they did in 20 calls, and in 5 more after they were
// repaired.
func TestReceipts(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		script := func(name, content string) { h.write("home/"+name, "#!/bin/sh\n"+content+"\n") }
		entry := func(command, more string) string {
			return `{"type":"command","command":` + string(mustJSON(h.filled(command))) + more + "}"
		}
		group := func(matcher string, entries ...string) string {
			return `{"matcher":"` + matcher + `","hooks":[` + strings.Join(entries, ",\n") + "]}"
		}
		script("fails", "exit 1")
		script("hangs", "sleep 30")
		script("blocks", "exit 2")
		settings := func(replaced string) string {
			return claudeSettings(`"hooks":{` + replaced + `"PostToolUse":[` + group("Bash", entry("echo hello # after", "")) + `],"PreToolUse":[` + strings.Join([]string{
				group("Bash", entry("true # silent", ""), entry("echo hello # talks", ""), entry("@HOME@/fails", ""), entry("@HOME@/hangs", `,"timeout":1`), entry("@HOME@/missing", "")),
				group("Write", entry("@HOME@/blocks", "")),
				group("bash", entry("true # lower", "")), group("WebSearch|WebFetch", entry("true # web", "")),
				group("Ba.*", entry("cd / && true # unjudged", "")),
				group("^mcp__workflow-server__", entry(setup.Quote("linux", h.rig.wsi)+" inject --harness claude-code", "")),
			}, ",\n") + "]}")
		}
		settings0 := func(replaced string) {
			h.write("home/.claude/settings.json", strings.Replace(settings(replaced), `"Bash",`, `"Bash","Write",`, 1))
		}
		settings0(`"PostToolUse":[` + group("Bash", entry("true # replaced", "")) + `],`)
		bash := Turn{{Tool: "Bash", Args: `{"command":"true","description":"nothing"}`, Bare: true}}
		write := func(n int) Turn {
			return Turn{{Tool: "Write", Args: fmt.Sprintf(`{"file_path":"%s","content":"x"}`, h.at(fmt.Sprint("work/", n))), Bare: true}}
		}
		server := Turn{{Tool: opening, Args: `{"workflow_id":"demo"}`}}
		calls := Script{server, server}
		for n := range 12 {
			if calls = append(calls, bash); n%2 == 0 {
				calls = append(calls, write(n))
			}
		}
		began := time.Now().Add(-time.Second)
		h.converse("main", calls)
		ended := time.Now().Add(time.Second)

		fault, rows := h.list()
		if !fault {
			h.t.Error("the check finds nothing")
		}
		for name, want := range map[string]receiptRow{
			"silent":   {State: "no-failure", Calls: 12},
			"talks":    {State: "ran", Runs: 12},
			"after":    {State: "ran", Runs: 12},
			"fails":    {State: "failed", Runs: 12, Failed: 12, Calls: 12},
			"hangs":    {State: "failed", Runs: 12, Failed: 12, Calls: 12},
			"missing":  {State: "cannot-run", Runs: 12, Failed: 12, Calls: 12},
			"blocks":   {State: "blocks", Runs: 6, Blocked: 6, Calls: 6},
			"lower":    {State: "no-such-call"},
			"web":      {State: "no-such-call"},
			"replaced": {State: "cannot-run"},
			"unjudged": {State: "not-judged"},
			h.rig.id:   {State: "ran", Runs: 2},
		} {
			got := rows[name]
			if got.Runs > 0 && (got.Last.Before(began) || got.Last.After(ended) || got.Record == "") {
				h.t.Errorf("%s: last %v in %q, not between %v and %v", name, got.Last, got.Record, began, ended)
			}
			if slow := name == "hangs"; slow != (got.MedianMS >= 1000) {
				h.t.Errorf("%s takes %d ms", name, got.MedianMS)
			}
			got.Command, got.Record, got.Reason, got.Last, got.MedianMS = "", "", "", time.Time{}, 0
			if got != want {
				h.t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
		for _, name := range []string{"fails", "hangs", "blocks", "missing"} {
			script(name, "exit 0")
		}
		settings0("")
		h.converse("repaired", Script{bash, write(20), bash, write(21), bash})
		if fault, rows = h.list(); fault {
			h.t.Errorf("after the repair: %+v", rows)
		}
	})
}
