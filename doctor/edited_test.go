package doctor

import (
	"slices"
	"testing"

	"wsi/doctor/report"
)

// A rehearsal runs the commands in a plugin. After the file was edited, it cannot know whether the plugin still runs them.
func TestEditedPluginIsNotRehearsed(t *testing.T) {
	w := newWorld(t, "")
	w.write(plugin, w.read(plugin)+"\n// mine\n")
	w.only = []string{"opencode.token.delivered"}
	if r := w.examine(); !slices.Contains(withStatus(r, report.Skip), "opencode.token.delivered") {
		t.Errorf("an unknown result is reported:\n%s", w.said(r, report.OK))
	}
}
