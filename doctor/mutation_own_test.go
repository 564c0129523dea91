package doctor

import (
	"os"

	"wsi/doctor/report"
)

var ofWsi = []mutation{
	{"it is not known", report.Info, one("wsi.binary"), "", func(w *world) { w.binary = "none" }},
	{"never", report.Fail, one("wsi.setup"), "", func(w *world) {
		for _, file := range []string{claudeHooks, codexHooks, cursorHooks, plugin, ".local/state/wsi/ledger.json"} {
			w.remove(file)
		}
	}},
	{"no folder", report.Fail, one("wsi.state"), "", func(w *world) {
		if err := os.RemoveAll(w.state()); err != nil {
			w.t.Fatal(err)
		}
		w.write(".local/state/wsi", "")
	}},
	{"its disk is full", report.Fail, one("wsi.state"), "", func(w *world) { w.room = func(string) error { return errFull } }},
	{"its disk has no free inode", report.Fail, one("wsi.state"), "", func(w *world) { w.room = func(string) error { return errInodes } }},
	{"others may look into it", report.Warn, one("wsi.state"), "", func(w *world) { _ = os.Chmod(w.state(), 0o755) }},
	{"it is damaged", report.Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":`) }},
	{"a newer wsi wrote it", report.Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":99,"files":[]}`) }},
	{"no file", report.Fail, one("wsi.ledger"), "", func(w *world) { w.remove(".local/state/wsi/ledger.json"); w.folder(".local/state/wsi/ledger.json") }},
	{"no folder", report.Fail, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault", "") }},
	{"others may read it", report.Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".local/state/wsi/vault/ab/x.json", "{}")
		_ = os.Chmod(w.path(".local/state/wsi/vault/ab/x.json"), 0o644)
	}},
	{"others may read the current token", report.Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".claude/workflow-server-tokens/current.token", "x")
		_ = os.Chmod(w.path(".claude/workflow-server-tokens/current.token"), 0o604)
	}},
	{"a session was set aside", report.Warn, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault/ab/x.json.corrupt", "{}") }},
	{"no file", report.Fail, one("wsi.journal"), "", func(w *world) { w.remove(".local/state/wsi/journal.jsonl"); w.folder(".local/state/wsi/journal.jsonl") }},
	{"a slip in it", report.Fail, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "[[carry]]\nnam = 'x'\n") }},
	{"no file", report.Fail, one("wsi.rules"), "", func(w *world) { w.folder(".config/wsi/rules.toml") }},
	{"others may read it", report.Warn, one("wsi.journal"), "", func(w *world) { _ = os.Chmod(w.path(".local/state/wsi/journal.jsonl"), 0o644) }},
}
