package registry

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/clients"
	"wsi/harnesses/dialects"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// In an empty home no harness is found.
func TestEmptyHome(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		env := envtest.New(t, nil, nil)
		env.GOOS = goos
		for _, h := range All() {
			if p, err := h.Find(env); err != nil || p.Found || len(p.Servers) > 0 {
				t.Errorf("%s, %s: %+v, %v", h.ID, goos, p, err)
			}
		}
	}
}

func TestEveryHarnessIsComplete(t *testing.T) {
	env := envtest.New(t, nil, nil)
	seen := map[string]bool{}
	for _, h := range All() {
		if seen[h.ID] || h.Name == "" || h.Find == nil || h.Wiring == nil || strings.Trim(h.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%q is not complete", h.ID)
		}
		seen[h.ID] = true
		if !h.RelayOnly() && (h.Codec == nil || h.Proof.Simulator == nil) {
			t.Errorf("%s has hooks, but no Codec or Simulator", h.ID)
		}
		if len(h.Choices) > 0 && len(h.Registers(env, setup.User)) == 0 {
			t.Errorf("%s has Choices, but no file with servers", h.ID)
		}
		for _, c := range h.Choices {
			if !slices.Contains(setup.Modes, c.Mode) || c.Why == "" || strings.HasSuffix(c.Why, ".") {
				t.Errorf("%s: %+v", h.ID, c)
			}
		}
	}
}

// A simulator stops a call that the hook refuses, and makes it unchanged if the hook only tells the model something.
func TestSimulatorsReadAnswers(t *testing.T) {
	call := setup.ToolCall{Args: []byte(`{"a":1}`)}
	for _, h := range All() {
		const text = "say \"which\" one:\n\t<a> or é"
		if deny := h.Capabilities.Deny; deny != nil {
			if args, err := h.Proof.Simulator.Apply(call, deny(text), 0); !errors.Is(err, setup.ErrDenied) {
				t.Errorf("%s: a denied call is made with %s: %v", h.ID, args, err)
			}
		}
		if tell := h.Capabilities.Tell; tell != nil {
			if args, err := h.Proof.Simulator.Apply(call, tell(text), 0); err != nil || !bytes.Equal(args, call.Args) {
				t.Errorf("%s: with a note to the model the arguments are %s: %v", h.ID, args, err)
			}
		}
	}
}

// What hooks and relays know of a harness is what the installer and the doctor know of it.
func TestDialects(t *testing.T) {
	for _, h := range All() {
		if dialects.Get(h.ID).Codec != h.Codec || !sameFields(clients.Capabilities(h.ID), h.Capabilities) {
			t.Errorf("package dialects has another dialect of %s", h.ID)
		}
	}
}

// sameFields reports whether two structs have the same fields set.
func sameFields(a, b harnesses.Capabilities) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if x.Field(i).IsZero() != y.Field(i).IsZero() {
			return false
		}
	}
	return true
}

// Why a file is refused begins with the name of the harness, as it is spelled.
func TestReasonsBeginWithTheName(t *testing.T) {
	env, tried := envtest.New(t, nil, nil), 0
	for _, h := range All() {
		if h.Files.Reads == nil || h.Hooks.Validate == nil {
			continue
		}
		for _, file := range h.Files.Reads(env, setup.User) {
			tried++
			if err := h.Hooks.Validate(file, []byte("{ no file")); err == nil || !strings.HasPrefix(err.Error(), h.Name+" ") {
				t.Errorf("%s, %s: %v", h.Name, filepath.Base(file.Path), err)
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d files were tried", tried)
	}
}

// The places follow the variables that move them, and names are written as each harness writes them.
func TestCallLogs(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the paths are absolute with slashes only")
	}
	variables := map[string]string{}
	env := envtest.Memory(nil, variables)
	env.Home = "/h"
	for _, c := range []struct {
		id, goos, server, variable, value string
		file, mark                        string
	}{
		{"claude-code", "linux", "a.b_c", "", "", "/h/.cache/claude-cli-nodejs/*/mcp-logs-a-b-c/*.jsonl", `"debug":"Calling MCP tool: `},
		{"claude-code", "linux", "s", "XDG_CACHE_HOME", "/x", "/x/claude-cli-nodejs/*/mcp-logs-s/*.jsonl", `"debug":"Calling MCP tool: `},
		{"claude-code", "darwin", "s", "", "", "/h/Library/Caches/claude-cli-nodejs/*/mcp-logs-s/*.jsonl", `"debug":"Calling MCP tool: `},
		{"codex", "linux", `a"b`, "CODEX_HOME", "/x", "/x/sessions/*/*/*/rollout-*.jsonl", `"server":"a\"b",`},
		{"opencode", "linux", "a.b", "XDG_DATA_HOME", "/x", "/x/opencode/log/*.log", "message=evaluated permission=a_b_"},
		{"opencode", "linux", "s", "XDG_DATA_HOME", "relative", "/h/.local/share/opencode/log/*.log", "message=evaluated permission=s_"},
	} {
		clear(variables)
		variables[c.variable] = c.value
		h, _ := Get(c.id)
		env.GOOS = c.goos
		log := h.CallLog(env, c.server)
		if !slices.Equal(log.Files, []string{c.file}) || !slices.Contains(log.Marks, c.mark) {
			t.Errorf("%s: %+v, want %s with %s", c.id, log, c.file, c.mark)
		}
	}
}

// Where each harness finds the user's servers if a variable names another folder: what its own program listed.
func TestFoldersFromVariables(t *testing.T) {
	const cline = "settings/cline_mcp_settings.json"
	for _, c := range []struct {
		harness, variable, value string
		want                     string // below the home folder
		adrift                   bool
	}{
		{"claude-code", "CLAUDE_CONFIG_DIR", "", ".claude.json", true},
		{"claude-code", "CLAUDE_CONFIG_DIR", "there", "project/there/.claude.json", true},
		{"claude-code", "CLAUDE_CONFIG_DIR", "HOME/none", "none/.claude.json", false},
		{"codex", "CODEX_HOME", "", ".codex/config.toml", false},
		{"codex", "CODEX_HOME", "there", "project/there/config.toml", true},
		{"codex", "CODEX_HOME", "HOME/none", "none/config.toml", true},
		{"codex", "CODEX_HOME", "HOME/project", "project/config.toml", false},
		{"opencode", "XDG_CONFIG_HOME", "", ".config/opencode/config.json", false},
		{"opencode", "XDG_CONFIG_HOME", "there", "project/there/opencode/config.json", true},
		{"opencode", "XDG_CONFIG_HOME", "HOME/none", "none/opencode/config.json", false},
		{"opencode", "OPENCODE_CONFIG_DIR", "", ".config/opencode/config.json", false},
		{"opencode", "OPENCODE_CONFIG_DIR", "there", ".config/opencode/config.json", true},
		{"gemini-cli", "GEMINI_CLI_HOME", "", ".gemini/settings.json", false},
		{"gemini-cli", "GEMINI_CLI_HOME", "there", "project/there/.gemini/settings.json", true},
		{"gemini-cli", "GEMINI_CLI_HOME", "HOME/none", "none/.gemini/settings.json", false},
		{"qwen-code", "QWEN_HOME", "", ".qwen/settings.json", false},
		{"qwen-code", "QWEN_HOME", "there", "project/there/settings.json", true},
		{"qwen-code", "QWEN_HOME", "~/q", "q/settings.json", false},
		{"qwen-code", "QWEN_HOME", "HOME/none", "none/settings.json", false},
		{"copilot-cli", "COPILOT_HOME", "", ".copilot/mcp-config.json", false},
		{"copilot-cli", "COPILOT_HOME", "there", "project/there/mcp-config.json", true},
		{"copilot-cli", "COPILOT_HOME", "~/q", "project/~/q/mcp-config.json", true},
		{"cline-cli", "CLINE_DIR", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_DIR", "there", "project/there/data/" + cline, true},
		{"cline-cli", "CLINE_DATA_DIR", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_DATA_DIR", "there", "project/there/" + cline, true},
		{"cline-cli", "CLINE_DATA_DIR", "HOME/none", "none/" + cline, false},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "f.json", "project/f.json", true},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "HOME/f.json", "f.json", false},
	} {
		vars := map[string]string{}
		env, value := envtest.New(t, nil, vars), c.value
		if dir, name := filepath.Split(value); dir == "HOME/" {
			value = filepath.Join(env.Home, name)
		}
		vars[c.variable] = value
		env.Environ = func() []string { return []string{c.variable + "=" + value} }
		h, _ := Get(c.harness)
		p, err := h.Find(env)
		if got := h.Registers(env, setup.User)[0].Path; err != nil || got != filepath.Join(env.Home, c.want) || (p.Adrift.Why != "") != c.adrift {
			t.Errorf("%s, %s=%s: %s, %+v, %v", c.harness, c.variable, c.value, got, p.Adrift, err)
		}
	}
}

// What a harness makes of the output and the status of a hook before a call: the arguments that it sends, "" = none.
func TestSimulatorsApply(t *testing.T) {
	const typed, head = `{"a":"<1>"}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	for id, cases := range map[string][]struct {
		name, out string
		exit      int
		args      string
	}{
		"claude-code": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}\n", 0, typed},
			{"a rewrite", head + `"updatedInput":{"x": 1.0}}}` + "\n", 0, `{"x": 1.0}`},
			{"a rewrite and status 1", head + `"updatedInput":{"x":1}}}`, 1, `{"x":1}`},
			{"unknown keys", head + `"y":1,"updatedInput":{"x":1}},"z":2}`, 0, `{"x":1}`},
			{"status 2", head + `"updatedInput":{"x":1}}}`, 2, ""},
			{"allow", head + `"permissionDecision":"allow","updatedInput":{"x":1}}}`, 0, ""},
			{"ask", head + `"permissionDecision":"ask","updatedInput":{"x":1}}}`, 0, ""},
			{"text before", "hello " + head + `"updatedInput":{"x":1}}}`, 0, ""},
			{"two answers", head + `"updatedInput":{"x":1}}}{}`, 0, ""},
			{"no event", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
			{"another event", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedInput":{"x":1}}}`, 0, ""},
			{"at the top", `{"updatedInput":{"x":1}}`, 0, ""},
			{"no object", head + `"updatedInput":[1]}}`, 0, ""},
		},
		"codex": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}", 0, typed},
			{"a rewrite", head + `"permissionDecision":"allow","updatedInput":{"x": 1.0}}}` + "\n", 0, `{"x": 1.0}`},
			{"more of what it knows", head + `"permissionDecision":"allow","permissionDecisionReason":"r","additionalContext":"c","updatedInput":{"x":1}},"continue":true,"systemMessage":"m"}`, 0, `{"x":1}`},
			{"no decision", head + `"updatedInput":{"x":1}}}`, 0, ""},
			{"allow alone", head + `"permissionDecision":"allow"}}`, 0, ""},
			{"ask", head + `"permissionDecision":"ask","updatedInput":{"x":1}}}`, 0, ""},
			{"deny", head + `"permissionDecision":"deny"}}`, 0, ""},
			{"an unknown key inside", head + `"permissionDecision":"allow","updatedInput":{"x":1},"y":1}}`, 0, ""},
			{"an unknown key at the top", head + `"permissionDecision":"allow","updatedInput":{"x":1}},"suppressOutput":true}`, 0, ""},
			{"no event", `{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"x":1}}}`, 0, ""},
			{"stop", `{"continue":false}`, 0, ""},
			{"status 1", head + `"permissionDecision":"allow","updatedInput":{"x":1}}}`, 1, ""},
			{"status 2", "", 2, ""},
			{"text", "hello", 0, ""},
			{"an array", "[1]", 0, ""},
			{"no object", head + `"permissionDecision":"allow","updatedInput":"x"}}`, 0, ""},
		},
		"cursor": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}\n", 0, typed},
			{"a rewrite", `{"updated_input":{"x": 1.0}}` + "\n", 0, `{"x": 1.0}`},
			{"text before", `hello {"updated_input":{"x":1}}`, 0, `{"x":1}`},
			{"allow", `{"permission":"allow","updated_input":{"x":1}}`, 0, ""},
			{"deny", `{"permission":"deny"}`, 0, ""},
			{"an unknown permission", `{"permission":"maybe"}`, 0, ""},
			{"claude code's form", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
			{"text", "hello", 0, ""},
			{"text behind", `{"updated_input":{"x":1}} hello`, 0, ""},
			{"no object", `{"updated_input":null}`, 0, ""},
			{"an array", `{"updated_input":[]}`, 0, ""},
			{"status 1", `{"updated_input":{"x":1}}`, 1, ""},
			{"status 2", "", 2, ""},
		},
	} {
		h, _ := Get(id)
		for _, c := range cases {
			args, err := h.Proof.Simulator.Apply(setup.ToolCall{Args: []byte(typed)}, []byte(c.out), c.exit)
			if string(args) != c.args || (err == nil) != (c.args != "") {
				t.Errorf("%s, %s: %s, %v", id, c.name, args, err)
			}
		}
	}
}
