package doctor

import (
	"runtime"
	"slices"
	"testing"

	"wsi/doctor/report"
)

// A rehearsal runs the commands in a plugin. After the file was edited, it cannot know whether the plugin still runs them.
func TestEditedPluginIsNotRehearsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.write(plugin, w.read(plugin)+"\n// mine\n")
	w.only = []string{"opencode.token.delivered"}
	if r := w.examine(); !slices.Contains(withStatus(r, report.Skip), "opencode.token.delivered") {
		t.Errorf("an unknown result is reported:\n%s", w.said(r, report.OK))
	}
}

// Setup does not replace an edited plugin, so the fix for a hook that an edit removed moves it away.
func TestEditedPluginWithoutHooks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("fixes are typed into /bin/sh")
	}
	w := newWorld(t, "")
	only("opencode")(w)
	w.replace(plugin, "const WSI = ", "const WSIX = ")
	m := mutation{worst: report.Fail, ids: one("opencode.hook.registered")}
	w.only = m.ids
	r := w.examine()
	m.fixes(w, r)
}
