package live

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"wsi/doctor"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/inspect"
	"wsi/internal/testkit/envtest"
)

const (
	oursClaude = `{"type":"command","command":"/opt/wsi inject --harness claude-code","timeout":5}`
	oursCodex  = `{"type":"command","command":"/opt/wsi inject --harness codex"}`
)

// What decides about hooks is taken over as it is, nothing else is, and no other's hook does anything.
func TestAdopt(t *testing.T) {
	for _, c := range []struct {
		name, harness string
		files, vars   map[string]string
		want          map[string]string // below the rig; "" = no such file
	}{
		{
			name: "settings, with much else in them", harness: "claude-code",
			files: map[string]string{
				".claude/settings.json": `{"env":{"A":"b"},"apiKeyHelper":"steal","permissions":{"allow":["Bash"]},"disableAllHooks":false,"hooks":{
					"PreToolUse":[{"matcher":"mcp__x","hooks":[` + oursClaude + `,{"type":"command","command":"steal","args":["x"],"async":true}]}],
					"Stop":[{"hooks":[{"type":"http","url":"http://example.invalid"},{"type":"prompt","prompt":"steal"},{"type":"agent","prompt":"steal"},{"type":"mcp_tool","server":"s","tool":"steal"}]}]}}`,
				"project/.claude/settings.json":       `{"disableAllHooks":true,"model":"theirs"}`,
				"project/.claude/settings.local.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/wsi-other inject"}]}]}}`,
			},
			want: map[string]string{
				"home/.claude/settings.json": `{"disableAllHooks":false,"permissions":{"allow":["mcp__workflow-server__start_session","mcp__workflow-server__get_workflow","mcp__workflow-server__get_activity","mcp__workflow-server__next_activity","mcp__workflow-server__get_workflow_status","mcp__workflow-server__get_trace","mcp__workflow-server__health_check"]},"hooks":{
					"PreToolUse":[{"matcher":"mcp__x","hooks":[` + oursClaude + `,{"type":"command","command":"true","async":true}]}],
					"Stop":[{"hooks":[{"type":"command","command":"true"},{"type":"command","command":"true"},{"type":"command","command":"true"},{"type":"command","command":"true"}]}]}}`,
				"work/.claude/settings.json":       `{"disableAllHooks":true}`,
				"work/.claude/settings.local.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
			},
		},
		{
			name: "a folder of its own", harness: "claude-code",
			vars:  map[string]string{"CLAUDE_CONFIG_DIR": "HOME/elsewhere"},
			files: map[string]string{"elsewhere/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[` + oursClaude + `]}]}}`},
			want: map[string]string{
				"home/.claude/settings.json":    `{"permissions":{"allow":["mcp__workflow-server__start_session","mcp__workflow-server__get_workflow","mcp__workflow-server__get_activity","mcp__workflow-server__next_activity","mcp__workflow-server__get_workflow_status","mcp__workflow-server__get_trace","mcp__workflow-server__health_check"]},"hooks":{"PreToolUse":[{"hooks":[` + oursClaude + `]}]}}`,
				"home/elsewhere/settings.json":  "",
				"work/../elsewhere/whatever.no": "",
			},
		},
		{
			name: "approvals and trust move with their files", harness: "codex",
			files: map[string]string{
				".codex/hooks.json": `{"hooks":{"PreToolUse":[{"hooks":[` + oursCodex + `]}],"Stop":[{"hooks":[{"type":"command","command":"steal","commandWindows":"steal"}]}]}}`,
				".codex/config.toml": `notify = ["steal"]
[projects."HOME/project"]
trust_level = "trusted"
[projects."HOME/other"]
trust_level = "trusted"
[features]
hooks = false
multi_agent = true
[mcp_servers.other]
command = "steal"
[hooks.state."HOME/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:1"
[hooks.state."HOME/other/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:2"
`,
				"project/.git/HEAD":         "ref: refs/heads/main\n",
				"project/.codex/hooks.json": `{"hooks":{}}`,
			},
			want: map[string]string{
				"home/.codex/hooks.json": `{"hooks":{"PreToolUse":[{"hooks":[` + oursCodex + `]}],"Stop":[{"hooks":[{"type":"command","command":"true","commandWindows":"true"}]}]}}`,
				"home/.codex/config.toml": `[projects."DIR/work"]
trust_level = "trusted"
[features]
hooks = false
[hooks.state."DIR/home/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:1"
`,
				"work/.codex/hooks.json": `{"hooks":{}}`,
			},
		},
		{
			name: "no consent where there is none", harness: "codex",
			files: map[string]string{
				".codex/config.toml": "model = \"x\"\n[[hooks.PreToolUse]]\nhooks = [{ type = \"command\", command = \"/opt/wsi inject --harness codex\" }, { type = \"command\", command = \"steal\" }]\n",
			},
			want: map[string]string{
				"home/.codex/config.toml": "projects = {}\n[[hooks.PreToolUse]]\nhooks = [{ type = \"command\", command = \"/opt/wsi inject --harness codex\" }, { type = \"command\", command = \"true\" }]\n",
			},
		},
		{
			name: "a file that is none is none in the copy", harness: "claude-code",
			files: map[string]string{"project/.claude/settings.json": `{"hooks":`},
			want:  map[string]string{"work/.claude/settings.json": `{`},
		},
		{
			// JavaScript reads deeper than Go does.
			name: "a file that only the harness can take apart", harness: "claude-code",
			files: map[string]string{"project/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"steal"}]}]},"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`},
			want:  map[string]string{"work/.claude/settings.json": `{`},
		},
		{
			name: "a project's own wsi", harness: "claude-code",
			files: map[string]string{
				".claude/settings.json":         `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/other/wsi inject --harness claude-code"}]}]}}`,
				"project/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[` + oursClaude + `,{"type":"command","command":"/clone/wsi inject --harness cursor"},{"type":"command","command":"/clone/wsi inject --harness claude-code"}]}]}}`,
			},
			want: map[string]string{
				"home/.claude/settings.json": `{"permissions":{"allow":["mcp__workflow-server__start_session","mcp__workflow-server__get_workflow","mcp__workflow-server__get_activity","mcp__workflow-server__next_activity","mcp__workflow-server__get_workflow_status","mcp__workflow-server__get_trace","mcp__workflow-server__health_check"]},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/other/wsi inject --harness claude-code"}]}]}}`,
				"work/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[` + oursClaude + `,{"type":"command","command":"true"},{"type":"command","command":"true"}]}]}}`,
			},
		},
		{
			name: "a project's own wsi in Codex", harness: "codex",
			files: map[string]string{
				"project/.codex/hooks.json":  `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/clone/wsi inject --harness codex"}]}]}}`,
				"project/.codex/config.toml": "[[hooks.PreToolUse]]\nhooks = [{ type = \"command\", command = \"/clone/wsi inject --harness codex\" }]\n",
			},
			want: map[string]string{
				"work/.codex/hooks.json":  `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
				"work/.codex/config.toml": "[[hooks.PreToolUse]]\nhooks = [{ type = \"command\", command = \"true\" }]\n",
			},
		},
		{
			name: "wsi's words on what is not a command", harness: "claude-code",
			files: map[string]string{"project/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"http://example.invalid","command":"/opt/wsi inject --harness claude-code"},{"type":"script","file":"steal.js"}]}]}}`},
			want:  map[string]string{"work/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"},{"type":"script"}]}]}}`},
		},
		{
			name: "only wsi's plugin", harness: "opencode",
			files: map[string]string{
				".config/opencode/plugin/wsi.js":    "steal()",
				".config/opencode/plugin/theirs.js": "steal()",
			},
			want: map[string]string{"home/.config/opencode/plugin/wsi.js": "", "home/.config/opencode/plugin/theirs.js": ""},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envtest.New(t, nil, c.vars)
			for path, content := range c.files {
				envtest.Put(t, filepath.Join(env.Home, path), strings.ReplaceAll(content, "HOME", filepath.ToSlash(env.Home)))
			}
			for name, value := range c.vars {
				c.vars[name] = strings.ReplaceAll(value, "HOME", env.Home)
			}
			r := adopted(t, c.harness, env)
			for name, want := range c.want {
				same(t, filepath.Join(filepath.Dir(r.Home), filepath.FromSlash(name)), strings.ReplaceAll(want, "DIR", filepath.ToSlash(filepath.Dir(r.Home))))
			}
		})
	}
}

// adopted is a rig without a model, into which what a user has was copied.
func adopted(t *testing.T, id string, env setup.Env) *Rig {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("nothing is run on Windows")
	}
	h, _ := registry.Get(id)
	dir := t.TempDir()
	r := &Rig{Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work"), driver: drivers[id], id: id, name: harnesses.DefaultServer}
	c := doctor.LiveCase{Harness: h, Env: env, Files: inspect.Around(env, h, setup.User, setup.Project), May: func(f inspect.Source, line string) bool {
		said, ok := setup.ParseCommand(line)
		return ok && (f.Scope != setup.Project || said.Path == "/opt/wsi")
	}}
	if err := r.inProject(c); err != nil {
		t.Fatal(err)
	}
	if err := r.adopt(c); err != nil {
		t.Fatal(err)
	}
	return r
}

// same compares what a file says with what it should say, or that there is none.
func same(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if want == "" {
		if !os.IsNotExist(err) {
			t.Errorf("there is %s: %s", path, got)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	decode := json.Unmarshal
	if filepath.Ext(path) == ".toml" {
		decode = toml.Unmarshal
	}
	var is, should any
	if decode([]byte(want), &should) != nil {
		is, should = string(got), want
	} else if err := decode(got, &is); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if d := cmp.Diff(should, is); d != "" {
		t.Errorf("%s:\n%s", path, d)
	}
}

// Codex takes hooks from the main working tree of a linked one.
func TestAdoptFromLinkedWorktree(t *testing.T) {
	env := envtest.New(t, map[string]string{
		"main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/gitdir": "../../../../project/.git\n",
		"main/.codex/hooks.json":     `{"hooks":{"PreToolUse":[{"hooks":[` + oursCodex + `]}]}}`,
		"project/.codex/config.toml": "",
	}, nil)
	envtest.Put(t, filepath.Join(env.Home, "project", ".git"), "gitdir: "+filepath.Join(env.Home, "main", ".git", "worktrees", "w")+"\n")
	r := adopted(t, "codex", env)
	same(t, filepath.Join(r.Work, ".codex", "hooks.json"), `{"hooks":{"PreToolUse":[{"hooks":[`+oursCodex+`]}]}}`)
	if _, err := os.Stat(filepath.Join(r.Home, "main")); !os.IsNotExist(err) {
		t.Error("it was copied into the home")
	}
}

// Every folder with a plugin is one for which OpenCode need not wait.
func TestAdoptPlugin(t *testing.T) {
	env := envtest.New(t, map[string]string{"project/.git/HEAD": "x", "project/a/b": ""}, nil)
	env.Cwd = filepath.Join(env.Cwd, "a")
	h, _ := registry.Get("opencode")
	wiring, err := h.Wiring(env, setup.Project, setup.Program{Path: "/opt/wsi", Servers: []string{harnesses.DefaultServer}})
	if err != nil {
		t.Fatal(err)
	}
	envtest.Put(t, wiring.Owned[0].Path, string(wiring.Owned[0].Content))
	r := adopted(t, "opencode", env)
	same(t, filepath.Join(r.root, "a", ".opencode", "plugin", "wsi.js"), string(wiring.Owned[0].Content))
	same(t, filepath.Join(r.root, "a", ".opencode", "package.json"), `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`)
}

// A project's plugin is a program: it is taken over only if it is as setup writes it, with a wsi in it that may be
// run.
func TestAdoptNoOthersPlugin(t *testing.T) {
	for path, edited := range map[string]string{"/clone/wsi": "", "/opt/wsi": "\nsteal()\n"} {
		env := envtest.New(t, nil, nil)
		h, _ := registry.Get("opencode")
		wiring, err := h.Wiring(env, setup.Project, setup.Program{Path: path, Servers: []string{harnesses.DefaultServer}})
		if err != nil {
			t.Fatal(err)
		}
		envtest.Put(t, wiring.Owned[0].Path, string(wiring.Owned[0].Content)+edited)
		r := adopted(t, "opencode", env)
		same(t, filepath.Join(r.root, ".opencode", "plugin", "wsi.js"), "")
	}
}

// In a folder below the root of a repository the copy is below the root of one.
func TestAdoptInSubfolder(t *testing.T) {
	env := envtest.New(t, map[string]string{"project/.git/HEAD": "x", "project/a/b/c": "", "project/.codex/hooks.json": `{"hooks":{}}`}, nil)
	env.Cwd = filepath.Join(env.Cwd, "a", "b")
	r := adopted(t, "codex", env)
	if r.Work != filepath.Join(r.root, "a", "b") {
		t.Errorf("it runs in %s", r.Work)
	}
	same(t, filepath.Join(r.root, ".codex", "hooks.json"), `{"hooks":{}}`)
	if _, err := os.Stat(filepath.Join(r.root, ".git", "HEAD")); err != nil {
		t.Error(err)
	}
}

func TestHide(t *testing.T) {
	r := &Rig{Home: "/tmp/x/home", root: "/tmp/x/work", temp: "/tmp/x/tmp", user: "/home/zoe"}
	const token = "eyJ3ZiI6ImRlbW8iLCJhY3QiOiIiLCJza2lsbCI6IiIsImNvbmQiOiIiLCJ2IjoiMSJ9.0123456789abcdef0123456789abcdef"
	got := r.hide("in /tmp/x/home/a, /tmp/x/work/b, /tmp/x/tmp/c, /home/zoe/d: " + token + "!")
	if want := "in ~/a, <project>/b, <temp>/c, ~/d: <value>!"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.user = ""
	if got := r.hide("abc"); got != "abc" {
		t.Errorf("with no home: %s", got)
	}
}

// A harness that cannot be driven is not run, and that is said.
func TestProveCannot(t *testing.T) {
	for id, goos := range map[string]string{"cursor": "linux", "codex": "windows"} {
		h, ok := registry.Get(id)
		if !ok {
			t.Fatal(id)
		}
		dir := t.TempDir()
		proof, err := Prover{}.Prove(t.Context(), doctor.LiveCase{Harness: h, Env: setup.Env{GOOS: goos}, Dir: dir})
		if err != nil || proof.Cannot == "" {
			t.Errorf("%s on %s: %+v, %v", id, goos, proof, err)
		}
		if left, err := fs.ReadDir(os.DirFS(dir), "."); err != nil || len(left) > 0 {
			t.Errorf("%v %v", left, err)
		}
	}
}

// Who waits for a proof is told which harness it is.
func TestProveTells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no harness is run there")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, _ := registry.Get("claude-code")
	var told []string
	waits := &setup.Patience{Tell: func(name string) { told = append(told, name) }}
	// The program is no harness, so nothing is delivered.
	proof, err := Prover{Wsi: program}.Prove(t.Context(), doctor.LiveCase{
		Harness: h, Binary: "/bin/false", Server: "workflow-server", Way: setup.ByHooks, Dir: t.TempDir(),
		Env: setup.Env{
			Home: t.TempDir(), Cwd: t.TempDir(), GOOS: "linux", Getenv: os.Getenv, Patience: waits,
			ReadFile: os.ReadFile, Stat: func(string) (bool, error) { return false, fs.ErrNotExist },
		},
	})
	if proof.Right > 0 || !slices.Equal(told, []string{"Claude Code"}) {
		t.Errorf("told %q; %+v, %v", told, proof, err)
	}
}

// What setup advises to prove with the harness itself is what this package can run.
func TestProofsAreLive(t *testing.T) {
	for _, h := range registry.All() {
		if _, ok := drivers[h.ID]; ok != h.Proof.Live("linux") || h.Proof.Live("windows") {
			t.Errorf("%s: it can be run: %v", h.ID, ok)
		}
	}
}
