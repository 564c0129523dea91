//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	oncodex "wsi/harnesses/setup/codex"
	"wsi/installer/inquiry"
	"wsi/installer/inspect"
	"wsi/internal/stdiorpc"
	"wsi/internal/testkit/envtest"
)

// codexEvents are all events of Codex 0.171.0, and two that it does not have.
var codexEvents = []string{
	"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart",
	"SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "Notification", "preToolUse",
}

// oddCodexHooks are hooks of users, all in files that Codex accepts. In each # becomes a number of its own.
var oddCodexHooks = []string{
	`{"type":"command","command":"run #"}`,
	`{"type":"command","command":"run #","timeout":0}`,
	`{"type":"command","command":"run #","timeout":-0}`,
	`{"type":"command","command":"run #","timeout":2,"async":true}`,
	`{"type":"command","command":"run #","timeout":9223372036854775807}`,
	`{"type":"command","command":"run #","timeout":null,"statusMessage":null,"additionalContextLimit":null}`,
	`{"type":"command","command":"run #","statusMessage":"","additionalContextLimit":2500}`,
	`{"type":"command","command":"run #","statusMessage":"é <&> \u2028","additionalContextLimit":7}`,
	`{"type":"command","command":"run # \u2028\u2029 \\u2028 \\\\u2029 \u0001\u007f\b\f\n\r\t <>&'\"/ 😀 \ud83d\ude00","additionalContextLimit":0}`,
	`{"type":"command","command":"run #","commandWindows":"other","unknown":[1.5,null],"timeoutSec":1.5,"timeout_sec":"x"}`,
	`{"type":"command","command":" \u2028 "}`,
	`{"type":"mcp_tool","server":"s#","tool":"t"}`,
	`{"type":"mcp_tool","server":"s#","tool":"t","timeout":5,"statusMessage":"m","additionalContextLimit":3,"async":true}`,
	`{"type":"mcp_tool","server":"s#","tool":"t","input":{"b":1,"a":"x","c":[1.0,true,{"z":-2,"e":1E5,"f":-0}],"\u2028":""}}`,
	`{"type":"prompt","prompt":7}`,
	`{"type":"agent"}`,
}

var oddCodexMatchers = []string{
	"", `"matcher":null,`, `"matcher":"",`, `"matcher":"*",`, `"matcher":"Bash|mcp__a__b",`, `"matcher":"^mcp__.*é",`, `"matcher":"[",`, `"matcher":"(?=x)",`,
	`"matcher":"a{2000}",`, `"matcher":"{",`, `"matcher":"\\u00e9",`, `"matcher":"startup|manual|MultiEdit|",`,
}

// oddCodexTables are the same for TOML, where there are other types.
var oddCodexTables = []string{
	`{type="command",command="run #"}`,
	`{type="command",command="run # é",timeout=3,async=true,statusMessage="x",additionalContextLimit=1,command_windows="y"}`,
	`{type="mcp_tool",server="s#",tool="t",input={i=1,f=1.5,g=1e30,h=-1e-7,k=0.00001,l=123456789012345678.0,m=-0.0,s="x",d=2024-01-02,t=01:02:03,dt=2024-01-02T03:04:05Z,l2=2024-01-02T03:04:05,e=[1,"a",true,{x=2}]}}`,
}

// wsi asks Codex about a copy of each file, and says of every entry what Codex itself says in its list of hooks: whether it is there,
// approved, changed, or switched off. The homes are generated; approvals are first taken from Codex, then some are spoiled.
func TestCodexListsWhatWsiLists(t *testing.T) {
	binary := harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex")
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			env := oddCodexHome(t, rand.New(rand.NewPCG(seed, 17)))
			answers := inquiry.Answers{May: true}
			env.Asked, env.Environ = answers.Asked, os.Environ
			env.Scratch = func() (string, func(), error) { return t.TempDir(), func() {}, nil }
			env.LookPath = func(string) (string, error) { return binary, nil }
			first := codexList(t, binary, env)
			if len(first) < 100 {
				t.Fatalf("Codex lists only %d hooks", len(first))
			}
			compareCodexLists(t, env, first)
			approveSome(t, env, first)
			compareCodexLists(t, env, codexList(t, binary, env))
		})
	}
}

// codexEntry is a hook in the list of Codex's app-server.
type codexEntry struct {
	Key, SourcePath, Command, Server, CurrentHash, TrustStatus string

	Enabled bool
}

func codexList(t *testing.T, binary string, env setup.Env) []codexEntry {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	talk, err := stdiorpc.Start(ctx, stdiorpc.Program{
		Path: binary, Args: []string{"app-server", "-c", "features.apps=false", "-c", "features.remote_plugin=false", "-c", "analytics.enabled=false"}, Dir: env.Cwd,
		Env: []string{"HOME=" + env.Home, "PATH=/usr/bin:/bin", "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	if _, err := talk.Call("initialize", map[string]any{"clientInfo": map[string]string{"name": "test", "version": "0"}}); err != nil {
		t.Fatal(err)
	}
	if err := talk.Notify("initialized"); err != nil {
		t.Fatal(err)
	}
	result, err := talk.Call("hooks/list", map[string]any{"cwds": []string{env.Cwd}})
	var answer struct {
		Data []struct {
			Hooks  []codexEntry
			Errors []any
		}
	}
	if err == nil {
		err = json.Unmarshal(result, &answer)
	}
	if err != nil || len(answer.Data) != 1 || len(answer.Data[0].Errors) > 0 {
		t.Fatalf("%v: %s", err, result)
	}
	return answer.Data[0].Hooks
}

// oddCodexHome is a home with hooks in both files of the user's and of a project.
func oddCodexHome(t *testing.T, r *rand.Rand) setup.Env {
	t.Helper()
	env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
	for _, dir := range []*string{&env.Home, &env.Cwd} {
		var err error
		if *dir, err = filepath.EvalSymlinks(*dir); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	number := func(text string) string { n++; return strings.ReplaceAll(text, "#", fmt.Sprint(n)) }
	groups := func() string {
		var all []string
		for _, event := range codexEvents {
			var list []string
			for range 1 + r.IntN(3) {
				var hooks []string
				for range 1 + r.IntN(6) {
					hooks = append(hooks, number(oddCodexHooks[r.IntN(len(oddCodexHooks))]))
				}
				list = append(list, fmt.Sprintf("{%s\"hooks\":[%s]}", oddCodexMatchers[r.IntN(len(oddCodexMatchers))], strings.Join(hooks, ",")))
			}
			all = append(all, fmt.Sprintf("%q:[%s]", event, strings.Join(list, ",\n")))
		}
		return "{" + strings.Join(all, ",\n") + "}"
	}
	tables := func() string {
		var b strings.Builder
		for _, event := range codexEvents {
			for range r.IntN(3) {
				fmt.Fprintf(&b, "[[hooks.%s]]\nmatcher = %q\nhooks = [ %s ]\n", event, []string{"", "x", "[", "*"}[r.IntN(4)], number(oddCodexTables[r.IntN(len(oddCodexTables))]))
			}
		}
		return b.String()
	}
	for name, content := range map[string]string{
		".codex/hooks.json":          `{"description":"mine","hooks":` + groups() + `}`,
		"project/.codex/hooks.json":  `{"hooks":` + groups() + `}`,
		"project/.codex/config.toml": tables(),
		".codex/config.toml":         fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n%s", env.Cwd, tables()),
	} {
		writeBelow(t, env.Home, name, content)
	}
	return env
}

// approveSome approves most of the listed hooks, some in another form, and switches some off.
func approveSome(t *testing.T, env setup.Env, listed []codexEntry) {
	t.Helper()
	path := filepath.Join(env.Home, ".codex", "config.toml")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBuffer(content)
	for i, e := range listed {
		hash, _, _ := strings.Cut(e.CurrentHash, "/")
		switch i % 7 {
		case 0:
			continue
		case 1:
			hash = strings.Replace(hash, "sha256:", "sha256:0", 1)
		}
		fmt.Fprintf(b, "[hooks.state.%s]\ntrusted_hash = %q\n", mustJSON(e.Key), hash)
		if i%5 == 2 {
			b.WriteString("enabled = false\n")
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// compareCodexLists compares Codex's list with wsi's, entry by entry.
func compareCodexLists(t *testing.T, env setup.Env, listed []codexEntry) {
	t.Helper()
	theirs, ours, statuses := map[string]string{}, map[string]string{}, map[string]int{}
	for _, e := range listed {
		status := e.TrustStatus
		if !e.Enabled {
			status += ", off"
		}
		statuses[status]++
		theirs[e.SourcePath+" "+e.Command+e.Server] = status
	}
	for _, h := range inspect.Listed(env, oncodex.Harness()) {
		if status, listed := codexStatus(h); listed {
			ours[h.File+" "+h.Command] = status
		}
	}
	t.Logf("%d hooks: %v", len(listed), statuses)
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		if got, ok := ours[key]; !ok || got != theirs[key] {
			t.Errorf("%s: Codex says %s, wsi %q (%v)", key, theirs[key], got, ok)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[key]; !ok {
			t.Errorf("%s: Codex does not list it, wsi says %q", key, ours[key])
		}
	}
}

// codexStatus translates the reasons of wsi. listed is false if one says that Codex does not have the hook.
func codexStatus(h setup.Hook) (status string, listed bool) {
	status, off := "trusted", ""
	for _, why := range h.Skipped {
		switch {
		case strings.HasPrefix(why.Why, "it is not approved"):
			status = "untrusted"
		case strings.HasPrefix(why.Why, "it has changed"):
			status = "modified"
		case strings.HasPrefix(why.Why, "it is switched off"):
			off = ", off"
		case strings.HasPrefix(why.Why, "its matcher names"), strings.HasPrefix(why.Why, "no MCP server"): // listed all the same
		default:
			return "", false
		}
	}
	return status + off, true
}

func writeBelow(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
