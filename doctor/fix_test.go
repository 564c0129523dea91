package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/phrase"
	"wsi/internal/testkit/programtest"
)

// inSentence matches what a sentence must not contain: part of a command, which cannot be typed as it is, or a full stop.
var inSentence = regexp.MustCompile(`wsi (setup|remove) --|chmod|chown|\bmv |\.$`)

// fixes types every fix in a report that is a command as it is shown, and checks that it repairs what it is printed
// for. Every other fix must be a sentence.
func (m mutation) fixes(w *world, r report.Report) {
	w.t.Helper()
	typed := false
	for _, f := range r.All() {
		if f.Status != m.worst || !slices.Contains(m.ids, f.ID) {
			continue
		}
		fix := f.Fix.Map(func(s string) string { return phrase.Shorten(s, w.home, "/") })
		switch {
		case fix == phrase.Fix{}:
			w.t.Errorf("%s says nothing of what to do: %s", f.ID, f.Text)
		case fix.Text == "":
			w.typeLine(fix.Command)
			typed = true
		case inSentence.MatchString(fix.Text):
			w.t.Errorf("%s: %q is neither a sentence nor a command", f.ID, fix)
		}
	}
	if !typed {
		return
	}
	harness, check, _ := strings.Cut(m.ids[0], ".")
	registered := harness + ".hook.registered"
	w.only = append(slices.Clone(m.ids), registered)
	r = w.examine()
	for _, f := range r.All() {
		if check == "server.fronted" && f.Status == report.Skip && slices.Contains(withStatus(r, report.OK), registered) {
			continue // setup has taken the relay out: the hooks carry
		}
		if slices.Contains(m.ids, f.ID) && f.Status != report.OK && f.Status != report.Info {
			w.t.Errorf("after its fix %s is still %s: %s\nfix: %s", f.ID, f.Status, f.Text, f.Fix)
		}
	}
}

// typeLine has a shell run a line as the user of the world types it. wsi is where its user has installed it, and the
// user answers yes to what it asks.
func (w *world) typeLine(line string) {
	w.t.Helper()
	own, yes, temp := w.path(".local/bin/wsi"), w.path(".yes/wsi"), w.path(".tmp")
	for _, dir := range []string{filepath.Dir(own), filepath.Dir(yes), temp} {
		w.must(os.MkdirAll(dir, 0o700))
	}
	if err := os.Link(wsi, own); err != nil && !os.IsExist(err) {
		w.t.Fatal(err)
	}
	self, err := os.Executable() // it is Codex, too: see TestMain
	if err == nil {
		err = os.Symlink(self, filepath.Join(filepath.Dir(own), "codex"))
	}
	if err != nil && !os.IsExist(err) {
		w.t.Fatal(err)
	}
	answer := "#!/bin/sh\ncase \"$1\" in setup) exec '" + own + "' \"$@\" --yes --trust-codex-hooks;; remove) exec '" + own + "' \"$@\" --yes;; esac\nexec '" + own + "' \"$@\"\n"
	w.must(programtest.WriteFile(yes, []byte(answer), 0o700))
	cmd := exec.CommandContext(w.t.Context(), "/bin/sh", "-c", line)
	cmd.Dir = w.cwd
	cmd.Env = []string{"HOME=" + w.home, "TMPDIR=" + temp, "PATH=" + filepath.Dir(yes) + ":" + filepath.Dir(own) + ":/usr/bin:/bin"}
	for name, value := range w.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s: %v\n%s", line, err, said)
	}
}

// needsSh skips a test that types fixes into /bin/sh where there is none.
func needsSh(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("fixes are typed into /bin/sh")
	}
}

// Fixes that are commands repair everything if they are typed in the order in which they are printed, and each works if
// it alone was asked for.
func TestFixesInTheirOrder(t *testing.T) {
	needsSh(t)
	for name, harm := range map[string]func(*world){
		"damaged":    func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":`) },
		"not a file": func(w *world) { w.remove(".local/state/wsi/ledger.json"); w.folder(".local/state/wsi/ledger.json") },
		"not readable": func(w *world) {
			w.remove(".local/state/wsi/ledger.json")
			w.write(".local/state/wsi/ledger.json/x", "")
		},
	} {
		for all, asked := range map[string][]string{"all": nil, "one": one("claude-code.hook.registered")} {
			t.Run(name+"/"+all, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "", "claude-code", "codex")
				w.write(claudeHooks, "{}")
				w.write(codexHooks, `{"hooks":{}}`)
				harm(w)
				w.only = asked
				for _, f := range w.examine().All() {
					if f.Status == report.Fail && f.Fix.Text == "" {
						w.typeLine(f.Fix.Command)
					}
				}
				if r := w.examine(); !r.Healthy() {
					t.Errorf("after all fixes\n%s", w.said(r, report.Fail))
				}
			})
		}
	}
}

// Where a project's folder is a link to the user's own, the fix is a command that repairs the user's.
func TestFixInALinkedProject(t *testing.T) {
	t.Parallel()
	needsSh(t)
	w := newWorld(t, "", "codex")
	w.write(codexHooks, `{"hooks":{}}`)
	w.must(os.Symlink(w.path(".codex"), filepath.Join(w.cwd, ".codex")))
	examine := func() report.Finding {
		o := w.options()
		o.Scopes, o.Only = []setup.Scope{setup.Project}, one("codex.hook.registered")
		r, err := Run(t.Context(), o, "linux/amd64")
		w.must(err)
		return r.All()[0]
	}
	f := examine()
	if f.Status != report.Fail || f.Fix.Command != "wsi setup --harness codex --scope user" {
		t.Fatalf("%+v", f)
	}
	w.typeLine(f.Fix.Command)
	if f := examine(); f.Status != report.OK {
		t.Errorf("after its fix %+v", f)
	}
}

// Below the root of a project, a fix is typed into the folder in which the project is wired, so that it registers no second hook.
func TestFixBelowAProject(t *testing.T) {
	t.Parallel()
	needsSh(t)
	for id, hooks := range map[string]string{
		"claude-code": ".claude/settings.local.json",
		"codex":       ".codex/hooks.json",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", id)
			w.write(".claude/settings.json", "{}")
			w.write(codexHooks, "{}")
			w.write(".codex/config.toml", "[projects.'"+w.cwd+"']\ntrust_level = \"trusted\"\n"+servers[".codex/config.toml"])
			w.write("project/.git/HEAD", "ref: refs/heads/main\n")
			w.typeLine("wsi setup --scope project --server workflow-server --harness " + id)
			root, below := w.cwd, filepath.Join(w.cwd, "a b", "deep")
			w.must(os.MkdirAll(below, 0o700))
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

// Setup does not replace an edited plugin, so the fix for a hook that an edit removed moves it away.
func TestEditedPluginWithoutHooks(t *testing.T) {
	t.Parallel()
	needsSh(t)
	w := newWorld(t, "", "opencode")
	w.replace(plugin, "const WSI = ", "const WSIX = ")
	m := mutation{worst: report.Fail, ids: one("opencode.hook.registered")}
	w.only = m.ids
	m.fixes(w, w.examine())
}
