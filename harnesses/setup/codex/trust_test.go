package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/linktest"
)

// Indexes count all groups, and without Codex's program no hash is known.
func TestTrustRecordsCountForeignGroups(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(home, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "link")
	linktest.Make(t, real, link)
	hooks := `{"hooks":{
	 "PostToolUse":[{"matcher":7},{"hooks":[{"type":"command","command":"echo"},{"type":"command","command":"/bin/wsi capture --harness codex","timeout":10}]}],
	 "PreToolUse":[{"hooks":[{"type":"command","command":"/bin/wsi inject --harness claude-code"}]},{"matcher":"m","hooks":[{"type":"command","command":"/bin/wsi inject --harness codex"}]}]}}`
	inline := `[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
command = "echo"
[[hooks.PreToolUse]]
matcher = "m"
hooks = [ { type = "command", command = "/bin/wsi inject --harness codex" } ]
`
	env := setup.Env{Home: home, Cwd: home, GOOS: "linux", Resolve: filepath.EvalSymlinks, Stat: func(p string) (bool, error) {
		i, err := os.Stat(p)
		return err == nil && i.IsDir(), err
	}, LookPath: func(string) (string, error) { return "", os.ErrNotExist }}
	moved := env
	unmade := env
	unmade.Getenv = func(k string) string { return map[string]string{"CODEX_HOME": filepath.Join(link, "new", "er")}[k] }
	env.Getenv = func(string) string { return "" }
	moved.Getenv = func(k string) string { return map[string]string{"CODEX_HOME": link}[k] }

	for _, c := range []struct {
		env     setup.Env
		file    setup.HookFile
		content string
		config  string
		keys    []string
	}{
		{
			moved,
			setup.HookFile{Path: filepath.Join(link, "hooks.json"), Format: setup.JSON},
			hooks, filepath.Join(link, "config.toml"),
			[]string{filepath.Join(real, "hooks.json") + ":post_tool_use:1:1", filepath.Join(real, "hooks.json") + ":pre_tool_use:1:0"},
		},
		{
			env,
			setup.HookFile{Path: filepath.Join(home, ".codex", "config.toml"), Format: setup.TOML},
			inline, filepath.Join(home, ".codex", "config.toml"),
			[]string{filepath.Join(home, ".codex", "config.toml") + ":pre_tool_use:1:0"},
		},
	} {
		records, err := trustRecords(c.env, c.file, []byte(c.content))
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, r := range records {
			keys = append(keys, r.Table[2])
			if r.File != c.config || r.Value != "" {
				t.Errorf("record %+v", r)
			}
		}
		if strings.Join(keys, "\n") != strings.Join(c.keys, "\n") {
			t.Errorf("keys\n%s\nwant\n%s", strings.Join(keys, "\n"), strings.Join(c.keys, "\n"))
		}
	}
}
