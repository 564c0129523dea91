package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// Below the root of a project, a fix is typed into the folder in which the project is wired, so that it registers no second hook.
func TestFixBelowAProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("fixes are typed into /bin/sh")
	}
	for id, hooks := range map[string]string{
		"claude-code": ".claude/settings.local.json",
		"codex":       ".codex/hooks.json",
	} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, "")
			only(id)(w)
			w.write(".claude/settings.json", "{}")
			w.write(codexHooks, "{}")
			w.write(".codex/config.toml", "[projects.'"+w.cwd+"']\ntrust_level = \"trusted\"\n"+servers[".codex/config.toml"])
			w.write("project/.git/HEAD", "ref: refs/heads/main\n")
			w.typeLine("wsi setup --scope project --server workflow-server --harness " + id)
			root, below := w.cwd, filepath.Join(w.cwd, "a b", "deep")
			if err := os.MkdirAll(below, 0o700); err != nil {
				t.Fatal(err)
			}
			w.replace("project/"+hooks, "PreToolUse", "SessionStart")
			w.cwd, w.only = below, one(id+".hook.registered")
			f := w.examine().All()[0]
			if want := setup.RunIn("linux", root, "wsi setup --harness "+id+" --scope project"); f.Status != report.Fail || f.Fix != want {
				t.Fatalf("%+v, want %s", f, want)
			}
			w.typeLine(f.Fix.Command)
			if f := w.examine().All()[0]; f.Status != report.OK {
				t.Errorf("after its fix %+v", f)
			}
			if _, err := os.Stat(filepath.Join(below, hooks)); err == nil {
				t.Error("it registered hooks below the root")
			}
		})
	}
}
