package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// The rehearsal notices if what a server says in _meta does not reach the model, or not once and as the server's words.
func TestRehearsalOfShow(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for wsi")
	}
	builtin, err := os.ReadFile("../hook/rules/builtin.toml")
	if err != nil {
		t.Fatal(err)
	}
	config := t.TempDir() // of a wsi that shows nothing
	if err := os.Mkdir(filepath.Join(config, "wsi"), 0o700); err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(builtin), "[carry.show]\n"+`from = ["meta:validation", "meta:batch"]`+"\n")
	if err := os.WriteFile(filepath.Join(config, "wsi", "rules.toml"), []byte(before+after), 0o600); err != nil || !found {
		t.Fatal("the built-in rules have another [carry.show]", err)
	}
	for name, c := range map[string]struct {
		script string
		right  bool
	}{
		"right":        {`exec "$WSI" "$@"`, true},
		"switched off": {`XDG_CONFIG_HOME='` + config + `' exec "$WSI" "$@"`, false},
		"unmarked":     {`"$WSI" "$@" | sed -u 's/ adds (from _meta):/ says:/'`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []fronting{
				{"claude-code", setup.ByHooks},
				{"claude-code", setup.ByJoin},
				{"codex", setup.ByHooks},
				{"codex", setup.ByRelay},
				{"opencode", setup.ByHooks},
				{"opencode", setup.ByJoin},
			} {
				t.Run(h.id+" by "+string(h.way), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, c.script)
					w.front(h.id, h.way)
					w.only = []string{"token.delivered"}
					r := w.examine()
					if says := "by the rule \"workflow-server index\", the model must read a warning in _meta once"; c.right {
						if !slices.Contains(withStatus(r, report.OK), h.id+".token.delivered") {
							t.Errorf("not right:\n%s", w.shown(r))
						}
					} else if !strings.Contains(w.said(r, report.Fail), says) {
						t.Errorf("not found:\n%s", w.shown(r))
					}
				})
			}
		})
	}
}
