package doctor

import (
	"os"
)

var ofWsi = []mutation{
	{"it is not known", Info, one("wsi.binary"), "", func(w *world) { w.binary = "none" }},
	{"never", Fail, one("wsi.setup"), "", func(w *world) {
		for _, file := range []string{claudeHooks, codexHooks, cursorHooks, plugin, ".local/state/wsi/ledger.json"} {
			w.remove(file)
		}
	}},
	{"another on the PATH", Warn, one("wsi.path"), "", func(w *world) {
		w.write("other/wsi", "#!/bin/sh\n")
		w.programs["wsi"] = w.path("other/wsi")
	}},
	{"no folder", Fail, one("wsi.state"), "", func(w *world) {
		if err := os.RemoveAll(w.state()); err != nil {
			w.t.Fatal(err)
		}
		w.write(".local/state/wsi", "")
	}},
	{"its disk is full", Fail, one("wsi.state"), "", func(w *world) { w.room = errFull }},
	{"its disk has no free inode", Fail, one("wsi.state"), "", func(w *world) { w.room = errInodes }},
	{"others may look into it", Warn, one("wsi.state"), "", func(w *world) { _ = os.Chmod(w.state(), 0o755) }},
	{"there is none", Warn, one("wsi.temp"), "", func(w *world) { w.temp = w.path("none") }},
	{"it is damaged", Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":`) }},
	{"a newer wsi wrote it", Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":99,"files":[]}`) }},
	{"no file", Fail, one("wsi.ledger"), "", func(w *world) { w.remove(".local/state/wsi/ledger.json"); w.folder(".local/state/wsi/ledger.json") }},
	{"no folder", Fail, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault", "") }},
	{"others may read it", Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".local/state/wsi/vault/ab/x.json", "{}")
		_ = os.Chmod(w.path(".local/state/wsi/vault/ab/x.json"), 0o644)
	}},
	{"others may read the current token", Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".claude/workflow-server-tokens/current.token", "x")
		_ = os.Chmod(w.path(".claude/workflow-server-tokens/current.token"), 0o604)
	}},
	{"a session was set aside", Warn, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault/ab/x.json.corrupt", "{}") }},
	{"no file", Fail, one("wsi.journal"), "", func(w *world) { w.remove(".local/state/wsi/journal.jsonl"); w.folder(".local/state/wsi/journal.jsonl") }},
	{"a slip in it", Fail, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "[[carry]]\nnam = 'x'\n") }},
	{"no file", Fail, one("wsi.rules"), "", func(w *world) { w.folder(".config/wsi/rules.toml") }},
	{"one value for all", Warn, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "keying = 'single'\n") }},
	{"others may read it", Warn, one("wsi.journal"), "", func(w *world) { _ = os.Chmod(w.path(".local/state/wsi/journal.jsonl"), 0o644) }},
}
