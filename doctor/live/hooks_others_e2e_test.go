//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	oncodex "wsi/harnesses/setup/codex"
	"wsi/harnesses/setup/opencode"
	"wsi/internal/stdiorpc"
	"wsi/internal/testkit/envtest"
)

// config replaces a text in the user's config.toml; "" is its beginning.
func (h *hookTrial) config(old, with string) {
	h.t.Helper()
	replace(h.t, h.at("home/.codex/config.toml"), old, h.filled(with))
}

// approve approves the hooks that Codex lists, but for those whose names contain -new; those with -changed in another form. It
// switches those with -off off.
func (h *hookTrial) approve() {
	h.t.Helper()
	var b strings.Builder
	for _, e := range h.entries() {
		name := hookName.FindString(e.Command)
		hash, _, _ := strings.Cut(e.CurrentHash, "/")
		if strings.Contains(name, "-changed") {
			hash = strings.Replace(hash, "sha256:", "sha256:0", 1)
		}
		if !strings.Contains(name, "-new") {
			fmt.Fprintf(&b, "[hooks.state.%s]\ntrusted_hash = %q\n", mustJSON(e.Key), hash)
			if strings.Contains(name, "-off") {
				b.WriteString("enabled = false\n")
			}
		}
	}
	h.config("[projects.", b.String()+"[projects.")
}

// entries returns the hooks that Codex lists.
func (h *hookTrial) entries() []codexEntry {
	h.t.Helper()
	env := envtest.New(h.t, nil, nil)
	env.Home, env.Cwd = h.rig.Home, h.rig.Work
	return codexList(h.t, h.rig.binary, env)
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

// codexHook is a hook in JSON with the command that leaves a mark.
func codexHook(name string) string { return `{"type":"command","command":"@fired-` + name + `@"}` }

// Switches for all hooks: the last file that has one decides, but for the administrator's requirements.
func TestSwitchesOfCodex(t *testing.T) {
	const on, off = "[features]\nhooks = true\n", "[features]\nhooks = false\n"
	for name, c := range map[string]struct{ user, project, system, legacy, requirements string }{
		"off":                                  {user: "hooks = false"},
		"off in the project":                   {project: off},
		"by its old name":                      {user: "codex_hooks = false"},
		"off for the machine but not the user": {system: off, user: "hooks = true"},
		"off in the administrator's":           {legacy: off, user: "hooks = true"},
		"required off":                         {requirements: off, user: "hooks = true", project: on},
		"only the administrator's":             {requirements: "allow_managed_hooks_only = true\n", user: "hooks = true"},
		"of the administrator":                 {requirements: tomlHook("required"), system: tomlHook("system"), legacy: tomlHook("legacy")},
		"administrator trusts projects":        {system: "[projects.\"@WORK@\"]\ntrust_level = \"trusted\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHookTrial(t, subjectOf("codex"))
			h.write("home/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("user")+`]}]}}`)
			h.write("work/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("project")+`]}]}}`)
			h.approve()
			h.config("[features]", "[features]\n"+c.user)
			for path, content := range map[string]string{
				"work/.codex/config.toml": c.project, "etc/codex/config.toml": c.system, "etc/codex/managed_config.toml": c.legacy, "etc/codex/requirements.toml": c.requirements,
			} {
				if content != "" {
					h.write(path, content)
				}
			}
			if strings.Contains(name, "trusts projects") {
				h.config("trust_level = \"trusted\"", "")
			}
			h.compare()
		})
	}
}

func tomlHook(name string) string {
	return "[[hooks.Stop]]\nhooks = [ { type = \"command\", command = \"@fired-" + name + "@\" } ]\n"
}

// Files that Codex ignores as a whole, next to one that it reads; and a project that is not trusted.
func TestHookFilesThatCodexIgnores(t *testing.T) {
	for name, content := range map[string]string{
		"a key that it does not know":  `{"version":1,"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}]}}`,
		"a type that it does not know": `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `,{"type":"http","url":"http://127.0.0.1/"}]}]}}`,
		"a byte order mark":            "\ufeff" + `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}]}}`,
		"nothing wrong":                `{"description":null,"hooks":{"Stop":[{"matcher":null,"x":1,"hooks":[` + codexHook("json") + `]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHookTrial(t, subjectOf("codex"))
			h.write("home/.codex/hooks.json", content)
			h.config("[features]", tomlHook("toml")+"[features]")
			h.write("work/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("project")+`]}]}}`)
			h.approve()
			h.config("trust_level = \"trusted\"", "")
			h.compare()
		})
	}
}

// Asked with a copy of the configuration, Codex says what it says with the configuration itself.
func TestCodexStartsAsWsiSays(t *testing.T) {
	binary := subjectOf("codex").program(t)
	starts := func(t *testing.T, user, project string) (binaryDoes, wsiSays bool) {
		t.Helper()
		env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
		trusted := fmt.Sprintf("[projects.%q]\ntrust_level = 'trusted'\n", env.Resolved(env.Cwd))
		if project == "" {
			trusted = ""
		}
		envtest.Put(t, filepath.Join(env.Home, ".codex/config.toml"), user+trusted)
		envtest.Put(t, filepath.Join(env.Home, ".codex/hooks.json"), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`)
		envtest.Put(t, filepath.Join(env.Cwd, ".codex/config.toml"), project)
		cmd := exec.CommandContext(t.Context(), binary, "features", "list")
		cmd.Dir, cmd.Env = env.Cwd, []string{"HOME=" + env.Home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "Caused by:") {
			t.Fatalf("%v\n%s", err, out)
		}
		env.Environ = os.Environ
		var refused setup.InvalidConfigError
		errors.As(oncodex.Harness().Proof.Starts(t.Context(), env, binary, t.TempDir()), &refused)
		return err == nil, !refused.Fatal
	}
	for _, c := range []struct {
		user, project string
		refused       bool
	}{
		{"model = 'x'\nmodel_reasoning_effort = 'high'\nunknown = 5\n", "", false},
		{"model = 5\n", "", true},
		{"model = 5\n", "model = 'x'\n", false}, // the project's counts
		{"", "model = 5\n", true},
		{"notify = 'x'\n", "", true},
		{"", "notify = 'x'\n", false}, // not read there
		{"profile = 'x'\n", "", true},
		{"[features]\nhooks = 3\n", "[features]\nhooks = true\n", false},
		{"[mcp_servers.a]\nargs = ['x']\n", "", true},
		{"[mcp_servers.a]\ncommand = 'x'\n", "[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\n", true},
		{"[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\nhttp_headers = { a = 'b' }\nbearer_token_env_var = 'T'\n", "", false},
		{"projects.x = 3\n", "", true},
	} {
		if does, says := starts(t, c.user, c.project); does == c.refused || says == c.refused {
			t.Errorf("%q, project %q: starts %v, wsi says %v, want %v", c.user, c.project, does, says, !c.refused)
		}
	}
}

// Switches for all plugins, or for those of a project.
func TestSwitchesOfOpenCode(t *testing.T) {
	for _, c := range []struct{ name, env string }{
		{"pure", "OPENCODE_PURE=1"},
		{"pure in words", "OPENCODE_PURE=yes"},
		{"no project", "OPENCODE_DISABLE_PROJECT_CONFIG=1"},
		{"in a variable", `OPENCODE_CONFIG_CONTENT={"plugin":["./fired-variable.js"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHookTrial(t, subjectOf("opencode"))
			for _, path := range []string{"home/.config/opencode/plugin/fired-user.js", "work/.opencode/plugin/fired-project.js", "work/fired-variable.js", "work/fired-listed.js"} {
				mark := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".js")
				h.write(path, `export default async () => ({ "tool.execute.before": async () => { await Bun.write("@MARKS@/`+mark+`", "") } })`)
			}
			h.write("work/opencode.json", `{"plugin":["./fired-listed.js"]}`)
			h.env = []string{c.env}
			h.compare()
		})
	}
}

// wsi says of a configuration what OpenCode itself says, in OpenCode's words, and leaves the user's folders as they are.
func TestOpenCodeStartsAsWsiSays(t *testing.T) {
	binary := subjectOf("opencode").program(t)
	for _, c := range []struct{ own, project, named, want string }{
		{"{}", `{"mcp":{"w":{"enabled":false}}, // mine` + "\n}", `{"model":"{file:./none}"}`, ""},
		{`{"mcp":null}`, "{}", "{}", "/.config/opencode/opencode.json: mcp: Expected object | undefined"},
		{"{}", "null", "{}", "/project/opencode.json: Expected Config"},
		{"{}", "{}", `{"mcp":{"w":{"type":"local"}}}`, "/named.json: Missing key mcp.w.command; Missing key mcp.w.enabled"},
		{"{}", "{\"mcp\"\n5}", "{}", "/project/opencode.json: line 2, column 1: ColonExpected"},
		{`{"share":"hunter2"}`, "{}", "{}", "/.config/opencode/opencode.json: share: Expected "},
	} {
		vars := map[string]string{"PATH": "/usr/bin:/bin"}
		env := envtest.New(t, map[string]string{
			".config/opencode/opencode.json": c.own, "project/opencode.json": c.project, "named.json": c.named,
			"other/opencode.jsonc": "{}", ".opencode/opencode.jsonc": "{}", // more than one question
		}, vars)
		vars["OPENCODE_CONFIG"], vars["OPENCODE_CONFIG_DIR"] = env.Home+"/named.json", env.Home+"/other"
		before := snapshot(t, env.Home)
		err := opencode.Harness().Proof.Starts(t.Context(), env, binary, t.TempDir())
		refused, _ := errors.AsType[setup.InvalidConfigError](err)
		if c.want == "" && err != nil || c.want != "" && !strings.Contains(refused.Why, c.want) || strings.Contains(refused.Why, "hunter2") {
			t.Errorf("%q, %q, %q: %v", c.own, c.project, c.named, err)
		}
		if !maps.EqualFunc(before, snapshot(t, env.Home), bytes.Equal) {
			t.Error("it changed the user's files")
		}
	}
}
