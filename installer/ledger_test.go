package installer

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// A ledger that lacks members, or none, is enough to remove wsi; the ledger of a newer one is not changed.
// Row 32.
func TestLedgerOfOtherVersions(t *testing.T) {
	without := func(keys ...string) func(map[string]any) {
		return func(record map[string]any) {
			for _, key := range keys {
				delete(record, key)
			}
		}
	}
	for name, c := range map[string]struct {
		ledger func(map[string]any)
		record func(map[string]any)
		exact  bool // remove gives back every byte
	}{
		"unchanged":                 {exact: true},
		"no version":                {ledger: func(l map[string]any) { delete(l, "version") }, exact: true},
		"no files":                  {ledger: func(l map[string]any) { l["files"] = nil }},
		"unknown fields":            {ledger: func(l map[string]any) { l["more"] = 1 }, record: func(r map[string]any) { r["more"] = []any{} }, exact: true},
		"no containers":             {record: without("made")},
		"no folders":                {record: without("folders")},
		"no format":                 {record: without("format")},
		"no backup":                 {record: without("before")},
		"paths and harnesses alone": {record: without("made", "folders", "format", "before")},
		"a sum of something else":   {record: func(r map[string]any) { r["after"] = strings.Repeat("0", 64) }},
		"an unknown harness": {ledger: func(l map[string]any) {
			other := maps.Clone(l["files"].([]any)[0].(map[string]any))
			other["harness"], other["path"] = "vim", filepath.Join(home(), "vimrc")
			l["files"] = append(l["files"].([]any), other)
		}, exact: true},
	} {
		t.Run(name, func(t *testing.T) {
			o, m := inMemory(messy)
			m.put(filepath.Join(home(), "vimrc"), "mine")
			before := m.clone()
			mustApply(t, PlanSetup, o)
			rewrite(t, m, o, c.ledger, c.record)
			mustApply(t, PlanSetup, o)
			mustApply(t, PlanRemove, o)
			for path := range messy {
				at := filepath.Join(home(), path)
				if c.exact && string(m[at].Data) != string(before[at].Data) {
					t.Errorf("%s is\n%s\nand was\n%s", path, m[at].Data, before[at].Data)
				}
			}
			for path, f := range m {
				if !strings.HasPrefix(path, filepath.Dir(o.StateDir)) && !strings.Contains(path, "downloads") && strings.Contains(string(f.Data), "inject --harness") {
					t.Errorf("wsi is still in %s:\n%s", path, f.Data)
				}
			}
			if string(m[filepath.Join(home(), "vimrc")].Data) != "mine" {
				t.Error("another's file was changed")
			}
		})
	}
}

func rewrite(t *testing.T, m memory, o Options, whole, record func(map[string]any)) {
	t.Helper()
	path := ledger.Path(o.StateDir)
	var l map[string]any
	if err := json.Unmarshal(m[path].Data, &l); err != nil {
		t.Fatal(err)
	}
	if record != nil {
		for _, r := range l["files"].([]any) {
			record(r.(map[string]any))
		}
	}
	if whole != nil {
		whole(l)
	}
	content, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	m.put(path, string(content))
}

// A ledger that this version cannot read is refused with a hint, and kept.
func TestUnusableLedger(t *testing.T) {
	for _, content := range []string{`{"version": 2, "files": []}`, `{"version": 99}`, "", "{", "[]", "42", `"x"`, `{"version": "1"}`, `{"version": 1, "files": {}}`, `{"version": 1, "files": [1]}`, "\x00"} {
		for name, plan := range map[string]func(Options) (Plan, error){"setup": PlanSetup, "remove": PlanRemove} {
			o, m := inMemory(messy)
			m.put(ledger.Path(o.StateDir), content)
			before := m.tree()
			_, err := run(t.Context(), plan, o)
			var r refusal.Error
			if !errors.Is(err, ledger.ErrUnusable) || !errors.As(err, &r) || r.Fix == "" {
				t.Errorf("%s with the ledger %q: %v", name, content, err)
			}
			sameTree(t, name+" with the ledger "+content, m.tree(), before)
		}
	}
}

// With lost or damaged backups, remove still keeps everything that is not wsi's.
func TestLostBackups(t *testing.T) {
	for name, harm := range map[string]func(m memory, path string){
		"lost":    func(m memory, path string) { delete(m, path) },
		"damaged": func(m memory, path string) { m.put(path, "{") },
		"folder":  func(m memory, path string) { delete(m, path); m.put(filepath.Join(path, "x"), "") },
	} {
		o, m := inMemory(messy)
		before := m.clone()
		mustApply(t, PlanSetup, o)
		for path := range m.clone() {
			if filepath.Dir(path) == filepath.Join(o.StateDir, "backups") {
				harm(m, path)
			}
		}
		mustApply(t, PlanRemove, o)
		for path := range messy {
			at := filepath.Join(home(), path)
			if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".toml") {
				if why := beyond(meaningOf(t, at, before), meaningOf(t, at, m), path); why != "" {
					t.Errorf("%s: %s", name, why)
				}
			}
		}
	}
}
