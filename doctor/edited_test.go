package doctor

import (
	"slices"
	"testing"

	"wsi/doctor/report"
)

// A rehearsal runs the commands that stand in a plugin; whether the plugin still does, nobody knows once
// it was edited.
func TestEditedPluginIsNotRehearsed(t *testing.T) {
	w := newWorld(t, "")
	w.write(plugin, w.read(plugin)+"\n// mine\n")
	w.only = []string{"opencode.token.delivered"}
	if r := w.examine(); !slices.Contains(withStatus(r, report.Skip), "opencode.token.delivered") {
		t.Errorf("an unknown result is reported:\n%s", w.said(r, report.OK))
	}
}
