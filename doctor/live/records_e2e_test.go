//go:build e2e

package live

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"wsi/doctor/receipts"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/envtest"
)

// kinds are hooks of which a record may say something. A comment is their name there: no shell repeats it.
var kinds = []struct{ name, command, recorded string }{
	{"silent", "touch @MARKS@/ran # rec-silent", "-"},
	{"talks", "echo hello # rec-talks", "ran"},
	{"hangs", "sleep 30 # rec-hangs", "timed out"},
	{"missing", "/no/such/program # rec-missing", "failed 127"},
	{"fails", "exit 1 # rec-fails", "failed 1"},
	{"blocks", "echo no >&2; exit 2 # rec-blocks", "blocked"},
}

// entries returns hooks of all kinds, with the key of a command and what ends one that hangs after a second.
func entries(key, timeout string, but ...string) string {
	var all []string
	for _, k := range kinds {
		entry := `{"type":"command","` + key + `":` + string(mustJSON(k.command))
		if k.name == "hangs" {
			entry += "," + timeout
		}
		if !slices.Contains(but, k.name) {
			all = append(all, entry+"}")
		}
	}
	return strings.Join(all, ",\n")
}

// TestHookRecords prints what each harness writes down of each kind of hook before a call. Claude Code names all of them but one that
// is silent; the others name none. If that changes, wsi can say more.
func TestHookRecords(t *testing.T) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "HARNESS\tVERSION")
	for _, k := range kinds {
		fmt.Fprint(table, "\t", k.name)
	}
	for _, s := range subjects() {
		own := tried[s.id].own
		if own.Tool == "" {
			continue // its hooks are modules
		}
		t.Run(s.id+"-"+s.version, func(t *testing.T) {
			h := newHookTrial(t, s)
			own.Bare = true
			script := Script{{own}}
			seconds, thousands := entries("command", `"timeout":1`), entries("command", `"timeout":1000`)
			switch s.id {
			case claudecode.ID:
				script = append(script, Turn{{Tool: "Write", Args: `{"file_path":"` + h.at("work/a") + `","content":"x"}`, Bare: true}})
				h.write("home/.claude/settings.json", `{"permissions":{"allow":["Bash","Write"]},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[`+
					entries("command", `"timeout":1`, "blocks")+`]},{"matcher":"Write","hooks":[`+
					entries("command", "", "silent", "talks", "hangs", "missing", "fails")+`]}]}}`)
			case "codex":
				h.write("home/.codex/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[`+seconds+`]}]}}`)
				h.approve()
			case "gemini-cli":
				h.insert("home/.gemini/settings.json", "}", `,"hooks":{"BeforeTool":[{"hooks":[`+thousands+`]}]}`)
			case "qwen-code":
				h.insert("home/.qwen/settings.json", "}", `,"hooks":{"PreToolUse":[{"hooks":[`+thousands+`]}]}`)
			case "copilot-cli":
				h.write("home/.copilot/hooks/mine.json", `{"version":1,"hooks":{"preToolUse":[`+entries("bash", `"timeoutSec":1`)+`]}}`)
			default:
				t.Skip("its hooks are programs in a folder")
			}
			h.converse("main", script)
			if _, err := os.Stat(filepath.Join(h.marks, "ran")); err != nil {
				t.Errorf("no hook ran: %v", err)
			}
			found := h.recorded()
			fmt.Fprintf(table, "\n%s\t%s", s.id, s.version)
			for _, k := range kinds {
				want := "-"
				if s.id == claudecode.ID {
					want = k.recorded
				}
				fmt.Fprint(table, "\t", found[k.name])
				if found[k.name] != want {
					t.Errorf("%s: %s, want %s", k.name, found[k.name], want)
				}
			}
		})
	}
	fmt.Fprintln(table)
	_ = table.Flush()
}

// recorded returns what the harness's records say of the hooks of all kinds, "-" = nothing. Of a harness without a record that wsi
// reads, that is the name of a file with the name of the hook in it.
func (h *hookTrial) recorded() map[string]string {
	h.t.Helper()
	found := map[string]string{}
	commands := make([]string, len(kinds))
	for i, k := range kinds {
		found[k.name], commands[i] = "-", h.filled(k.command)
	}
	harness, _ := registry.Get(h.rig.id)
	if harness.Hooks.Transcripts != nil {
		env := envtest.New(h.t, nil, nil)
		env.Home = h.rig.Home
		record := receipts.Read(harness.Hooks.Transcripts(env), receipts.Question{Commands: commands, Here: func(string) bool { return true }})
		for i, k := range kinds {
			switch r := record.All.Runs[receipts.Hook{Event: "PreToolUse", Command: commands[i]}]; {
			case r == nil:
			case r.TimedOut:
				found[k.name] = "timed out"
			case r.Failed > 0:
				found[k.name] = fmt.Sprint("failed ", r.Status)
			case r.Blocked > 0:
				found[k.name] = "blocked"
			default:
				found[k.name] = "ran"
			}
		}
		return found
	}
	err := filepath.WalkDir(h.rig.Home, func(path string, _ fs.DirEntry, err error) error {
		content, unread := os.ReadFile(path)
		if err != nil || unread != nil || bytes.Contains(content, []byte(`"type":"command"`)) || strings.Contains(path, "/logs/") { // the settings; a log that was asked for
			return err
		}
		for _, k := range kinds {
			if bytes.Contains(content, []byte("rec-"+k.name)) {
				found[k.name] = filepath.Base(path)
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}
