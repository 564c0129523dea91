package doctor

import (
	"os"
	"testing"

	"wsi/doctor/report"
)

// A doctor that only reads files makes no folder, not even one for a moment, and needs none. A damaged ledger, with which a
// setup is planned without it, changes nothing about that.
func TestStaticMakesNothing(t *testing.T) {
	for name, harm := range map[string]func(w *world){
		"all is well":      func(*world) {},
		"a damaged ledger": func(w *world) { w.write(".local/state/wsi/ledger.json", "{"); w.remove(".codex/hooks.json") },
		"no state folder":  func(w *world) { _ = os.RemoveAll(w.state()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.temp = w.path("temporary")
			if err := os.Mkdir(w.temp, 0o700); err != nil {
				t.Fatal(err)
			}
			harm(w)
			o := w.options()
			o.Static = true
			before := w.tree() // it has the time of the last change of each folder
			r, err := Run(t.Context(), o, "")
			if after := w.tree(); err != nil || after != before {
				t.Errorf("%v; now there is\n%s\nwas\n%s", err, after, before)
			}
			if len(withStatus(r, report.OK)) == 0 {
				t.Error("nothing was examined")
			}
		})
	}
}
