package wizard

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/internal/phrase"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
)

// home is a home folder with other hooks, comments, CRLF and a server with another name.
var home = map[string]string{
	".claude/settings.json": `{
  "permissions": {
    "allow": ["Bash(go test:*)", "Read(~/src/**)"]
  },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "~/bin/audit-bash", "timeout": 5 }] }
    ]
  },
  "model": "opus"
}
`,
	".claude.json":                   `{"mcpServers":{"workflow-server":{"command":"npx","args":["-y","workflow-server"]}}}`,
	".codex/config.toml":             "# mine\r\nmodel = \"gpt-5.5\"\r\n\r\n[mcp_servers.workflow-server]\r\ncommand = \"npx\"\r\n",
	".cursor/hooks.json":             "{\n\t// mine\n\t\"version\": 1,\n\t\"hooks\": {}\n}\n",
	".cursor/mcp.json":               `{"mcpServers":{"wf":{"command":"npx","args":["-y","workflow-server"]},"github":{"url":"http://localhost:1"}}}`,
	".config/opencode/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["npx","-y","workflow-server"]}}}`,
}

// versions are the versions of the harnesses; a harness without one is not on the PATH.
var versions = map[string]string{"claude": "2.1.329 (Claude Code)", "codex": "codex-cli 0.169.0", "cursor-agent": "2026.09.26", "opencode": "1.18.33"}

// settle returns a Config for a new home.
func settle(t *testing.T, content map[string]string) Config {
	t.Helper()
	env := envtest.New(t, content, nil)
	env.Asked = envtest.Asked
	env.LookPath = func(name string) (string, error) {
		if _, ok := versions[name]; ok {
			return "/usr/bin/" + name, nil
		}
		return "", fs.ErrNotExist
	}
	env.Output = func(_ context.Context, name string, _ ...string) ([]byte, error) {
		return []byte(versions[filepath.Base(name)]), nil
	}
	state := filepath.Join(env.Home, ".local/state/wsi")
	return Config{
		Options: installer.Options{
			Env: env, FS: files.Disk{}, StateDir: state, Harnesses: inspect.Offered(env, registry.All(), nil, nil, ledger.Ledger{}.Has), Scope: setup.User,
			Setup: installer.Setup{Program: setup.Program{Path: "/usr/local/bin/wsi", Servers: []string{harnesses.DefaultServer}}},
		},
		Show:  func(s string) string { return posix(s, env.Home) },
		Lock:  func(ctx context.Context) (func(), error) { return installer.Lock(ctx, state) },
		Links: []string{"registered", "trusted", "runs", "right value"},
		Prove: proven,
	}
}

// posix replaces a home by ~, also where it is quoted, and shows paths of Windows with slashes.
func posix(s, home string) string {
	quoted := strings.ReplaceAll(home, `\`, `\\`)
	s = strings.NewReplacer(quoted, "~", home, "~").Replace(s)
	return homePath.ReplaceAllStringFunc(s, func(path string) string { return strings.ReplaceAll(filepath.ToSlash(path), "//", "/") })
}

// homePath is a path below ~.
var homePath = regexp.MustCompile(`~[\\/][^"\s]*`)

// proven returns a proof as the doctor makes it.
func proven(_ context.Context, o installer.Options, h setup.Harness) Proof {
	ok, no, absent := tui.OK, tui.Broken, tui.Absent
	p := Proof{Links: []Link{{"registered", ok}, {"trusted", ok}, {"runs", ok}, {"right value", ok}}}
	if h.Hooks.TrustRecords != nil && !o.Trust && o.Modes[h.ID] != setup.ByRelay {
		p.Links[1].State, p.Links[3].State = no, absent
		p.Says = []Finding{{no, "other words than those of the review", phrase.Fix{Text: "look at them"}, true}, {State: absent, Text: "not tried"}}
		return p
	}
	p.Says = []Finding{{State: ok, Text: "wsi made 30 test calls: each got the right value"}}
	return p
}

// player drives the wizard without a terminal.
type player struct {
	*terminal.Player
	m *model
}

func start(t *testing.T, c Config, width, height int) *player {
	t.Helper()
	p := begin(t, c, width, height, (*model).begin)
	p.Settle()
	return p
}

// begin returns a wizard that has begun with what first does.
func begin(t *testing.T, c Config, width, height int, first func(*model)) *player {
	t.Helper()
	p := &player{m: newModel(c)}
	p.m.readingTime = 0
	p.Player = terminal.Play(t, p.m, &p.m.Shell, func() { first(p.m) }, width, height)
	return p
}

// press presses keys, each after the effects of the one before.
func (p *player) press(keys ...string) *player {
	p.T.Helper()
	for _, k := range keys {
		p.Send(terminal.KeyPress(k))
		p.Settle()
	}
	return p
}

// shows fails the test unless the screen has these texts.
func (p *player) shows(texts ...string) *player {
	p.T.Helper()
	for _, text := range texts {
		if !strings.Contains(p.Text(), text) {
			p.T.Errorf("%q is not on the screen:\n%s", text, p.Text())
		}
	}
	return p
}

// kept fails the test unless the files of the home are as they were.
func (p *player) kept(before map[string]string) {
	p.T.Helper()
	if diff := cmp.Diff(before, tree(p.T, p.m.Options.Env.Home)); diff != "" {
		p.T.Fatalf("files are not as they were:\n%s", diff)
	}
}

// tree returns every file below a folder, except wsi's own state.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.Contains(filepath.ToSlash(path), "/.local") {
			return err
		}
		content := "a folder"
		if !d.IsDir() {
			b, e := os.ReadFile(path)
			content, err = string(b), e
		}
		all[path] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
