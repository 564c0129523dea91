package edit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"wsi/harnesses/setup"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fileLike returns a hook file as the harnesses define them.
func fileLike(kind string) setup.HookFile {
	entries := func(id, matcher, before, after string) []setup.Entry {
		return []setup.Entry{
			{Event: before, Matcher: matcher, Command: "/usr/local/bin/wsi inject --harness " + id, Timeout: 10},
			{Event: after, Matcher: matcher, Command: "/usr/local/bin/wsi capture --harness " + id, Timeout: 10},
		}
	}
	switch kind {
	case "toml":
		return setup.HookFile{Path: "config.toml", Format: setup.TOML, Shape: setup.Grouped, Entries: entries("codex", "^mcp__s__", "PreToolUse", "PostToolUse")}
	case "jsonc":
		return setup.HookFile{
			Path: "hooks.json", Format: setup.JSONC, Shape: setup.Flat, Entries: entries("cursor", "^MCP:", "preToolUse", "postToolUse"),
			Preset: []setup.Preset{{Key: "version", Value: "1"}},
		}
	}
	return setup.HookFile{Path: "settings.json", Format: setup.JSON, Shape: setup.Grouped, Entries: entries("claude-code", "^mcp__s__", "PreToolUse", "PostToolUse")}
}

// bytesOf replaces the marks for invisible bytes in an archive: <TAB>, <CR>, <BOM>, and <NONL> for a last line without a
// line break.
func bytesOf(text []byte) []byte {
	s := strings.NewReplacer("<TAB>", "\t", "<CR>", "\r", "<BOM>", bom).Replace(string(text))
	if cut, ok := strings.CutSuffix(s, "<NONL>\n"); ok {
		s = cut
	}
	return []byte(s)
}

func visible(content []byte) []byte {
	s := strings.NewReplacer("\t", "<TAB>", "\r", "<CR>", bom, "<BOM>").Replace(string(content))
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "<NONL>\n"
	}
	return []byte(s)
}

// Each archive in testdata/install is one kind of file: before, after, and a line with the format. "same" in the comment
// means that removal need not restore the bytes.
func TestInstallAndRemove(t *testing.T) {
	archives, err := filepath.Glob("testdata/install/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(string(ar.Comment))
			file, before := fileLike(strings.Trim(words[0], ":.")), bytesOf(ar.Files[0].Data)
			after, made, err := Install(file, before)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				ar.Files = append(ar.Files[:1], txtar.File{Name: "after", Data: visible(after)})
				if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := bytesOf(ar.Files[1].Data); string(after) != string(want) {
				t.Errorf("installed\n%s\nwant\n%s", after, want)
			}
			checkInstalled(t, file, after)
			back, err := Remove(file, after, made)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(ar.Comment), "same") {
				return
			}
			if string(back) != string(before) {
				t.Errorf("removed\n%q\nwant\n%q", back, before)
			}
		})
	}
}

// checkInstalled checks that the file has exactly the wanted entries, and that a second run changes nothing.
func checkInstalled(t *testing.T, file setup.HookFile, content []byte) {
	t.Helper()
	again, made, err := Install(file, content)
	if err != nil || string(again) != string(content) || len(made) > 0 {
		t.Errorf("the second run made %q, %v and\n%s", made, err, again)
	}
	all, err := Entries(file, content)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range file.Entries {
		n := 0
		for _, f := range all {
			if f.Ours && f.Event == want.Event {
				n++
				if f.Command != want.Command || f.Timeout <= 0 || f.Matcher != want.Matcher {
					t.Errorf("found %+v, want %+v", f, want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%d entries of ours for %s, want 1", n, want.Event)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ kind, content, want string }{
		{"json", "null", "not a JSON object"},
		{"json", " \n []", "line 2, column 2: it is not a JSON object"},
		{"json", "42", "not a JSON object"},
		{"json", `"hooks"`, "not a JSON object"},
		{"json", "{\n  \"a\": {\n", "line 3, column 1: the file ends too early"},
		{"json", "{\n  \"a\": 1,\n}", "line 3, column 1: "},
		{"json", "{\n  // c\n}", "line 2, column 3: "},
		{"json", "{} {}", "line 1, column 4: invalid character '{' after the end"},
		{"json", "{\n}\n}}\n", "line 3, column 1: invalid character '}' after the end"},
		{"json", "{}]", "line 1, column 3: "},
		{"json", "{} \u00a0", "line 1, column 4: "},
		{"json", `{"hooks": []}`, "line 1, column 11: hooks is not an object"},
		{"json", `{"hooks": null}`, "hooks is not an object, but null: remove it"},
		{"json", `{"hooks": {"PreToolUse": null}}`, "hooks.PreToolUse is not an object, but null: remove it"},
		{"json", `{"hooks": "x"}`, "hooks is not an object"},
		{"json", `{"hooks": {"PreToolUse": {}}}`, "hooks.PreToolUse is not a list"},
		{"json", `{"hooks": {}, "hooks": {}}`, `duplicate key "hooks"`},
		{"json", `{"hooks": {}, "h\u006foks": {}}`, `duplicate key "hooks"`},
		{"json", "{\"hooks\": {\"PreToolUse\": [],\n\"PreToolUse\": []}}", `line 2, column 1: duplicate key "PreToolUse"`},
		{"json", `{"hooks": {"PreToolUse": [{"hooks": [], "hooks": []}]}}`, `duplicate key "hooks"`},
		{"jsonc", "{\n  \"a\": 1 /* never ends", "line 2, column 10: this comment does not end"},
		{"jsonc", "// nothing but a comment\n", "the file ends too early"},
		{"toml", "a = 1\na = 2\n", "line 2, column 1"},
		{"toml", "[hooks\n", "line 1"},
		{"toml", "hooks = 1\n", "hooks is not a table"},
		{"toml", "[hooks]\nPreToolUse = \"x\"\n", "hooks.PreToolUse is not a list"},
		{"toml", "[hooks.PreToolUse]\nx = 1\n", "hooks.PreToolUse is not a list"},
		{"jsonc", "{\"version\": 1, \"version\": 1}", `duplicate key "version"`},
	} {
		if _, _, err := Install(fileLike(c.kind), []byte(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.kind, c.content, err, c.want)
		}
	}
}

// Harnesses accept null in place of hooks: it is read, and not changed.
func TestNullIsRead(t *testing.T) {
	for _, content := range []string{`{"hooks": null}`, `{"hooks": {"PreToolUse": null}}`, "", " \n", "\ufeff"} {
		if found, err := Entries(fileLike("json"), []byte(content)); err != nil || len(found) > 0 {
			t.Errorf("%q: %v, %v", content, found, err)
		}
		if hooks, err := Hooks(fileLike("json"), []byte(content)); err != nil || len(hooks) > 0 {
			t.Errorf("%q: %v, %v", content, hooks, err)
		}
		if back, err := Remove(fileLike("json"), []byte(content), nil); err != nil || string(back) != content {
			t.Errorf("%q became %q, %v", content, back, err)
		}
	}
}

func TestUnclosed(t *testing.T) {
	for text, want := range map[string]int{
		`{}`: -1, `/**/{}`: -1, `{} /*/`: 3, `{} // /*`: -1, "//\n/*": 3, "//": -1,
		`{"a": "/*"}`: -1, `{"a\\": "\"/*", /* " */ "b": 1} /* *`: 32, `{"a`: -1, `{"a\`: -1,
	} {
		if got := (&document{format: setup.JSONC, text: []byte(text)}).unclosed(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// A change with another result than the intended one is not made.
func TestCommitVerifies(t *testing.T) {
	set := func(v any) func(any) any { return func(any) any { return v } }
	for _, c := range []struct {
		format                setup.Format
		before, changed, path string
		want                  any
		made                  bool
	}{
		{setup.JSON, `{"a": 1} `, `{"a": 2}`, "a", json.Number("3"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 1e1}`, "a", json.Number("10"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2, "b": 1}`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2} 3`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2, "hooks": {}}`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"b":0, "a":1}`, "b", json.Number("0"), true},
		{setup.TOML, "a = 1\nx = nan\n", "a = 3\nx = nan\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\nx = nan\ny = 1\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2.0\nx = nan\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\na = 2\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "x = nan # c\na = 2\n", "a", int64(2), true},
	} {
		d, err := openDocument(c.format, []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		d.commit([]byte(c.changed), []string{c.path}, set(c.want))
		if now := string(d.bytes()); (d.err == nil) != c.made || c.made && now != c.changed || !c.made && now != c.before {
			t.Errorf("%s for %v: %v, now %s", c.changed, c.want, d.err, now)
		}
		is := string(d.bytes())
		if d.commit([]byte(c.before), []string{c.path}, set(c.want)); !c.made && string(d.bytes()) != is {
			t.Errorf("a change after one that failed: %s", d.bytes())
		}
	}
}

// Users reformat what wsi wrote. Removal then need not restore the bytes, but must leave a tidy file.
func TestRemoveFromOtherLayouts(t *testing.T) {
	const ours = `{"command": "/x/wsi inject --harness cursor"}`
	for _, c := range []struct{ before, after string }{
		{"{\"hooks\": {\n  \"a\": [" + ours + "], \"b\": [1]\n}}", "{\"hooks\": {\n  \"b\": [1]\n}}"},
		{"{\"hooks\": {\"a\": [1, " + ours + ", 2]}}", "{\"hooks\": {\"a\": [1, 2]}}"},
		{"{\"hooks\": {\"a\": [1,\n" + ours + ",\n2]}}", "{\"hooks\": {\"a\": [1,\n2]}}"},
		{"{\"hooks\": {\"a\": [1, " + ours + ",]}}", "{\"hooks\": {\"a\": [1,]}}"},
		{"{\"hooks\": {\"a\": [\n  " + ours + " // first\n  , 2\n]}}", "{\"hooks\": {\"a\": [ // first\n   2\n]}}"},
		{"{\"hooks\": {\"a\": [ /* 1 */ " + ours + " /* 2 */ ]}}", "{\"hooks\": {\"a\": [ /* 1 */  /* 2 */ ]}}"},
		{"{\"hooks\": {\"a\": [1 /*,*/ , /*,*/ " + ours + " ]}}", "{\"hooks\": {\"a\": [1 /*,*/  /*,*/ ]}}"},
		{"{\n  \"hooks\": {\n    \"a\": [\n      " + ours + ",\n      " + ours + "\n    ]\n  }\n}\n", "{}\n"},
	} {
		after, err := Remove(fileLike("jsonc"), []byte(c.before), nil)
		if err != nil || string(after) != c.after {
			t.Errorf("%s\n got %s %v\nwant %s", c.before, after, err, c.after)
		}
	}
}

// If the first member is on the line of the brace, the other lines give the indentation.
func TestExistingIndentation(t *testing.T) {
	for _, before := range []string{
		"{\"version\":1,\n\t\"hooks\":{\n\t\t\"a\":[\n\t\t\t{}\n\t\t]\n\t}\n}\n",
		"{ \"version\": 1,\n\n\t\"hooks\": {\n\t}\n}",
	} {
		file := fileLike("jsonc")
		file.Entries = []setup.Entry{{Event: "a", Command: "/x/wsi inject --harness cursor"}}
		after, _, err := Install(file, []byte(before))
		if err != nil || !bytes.Contains(after, []byte("wsi inject")) || bytes.Contains(after, []byte("\t ")) || bytes.Contains(after, []byte("\n ")) {
			t.Errorf("%v\n%s", err, after)
		}
	}
}

func record(value string) setup.TrustRecord {
	return setup.TrustRecord{Table: []string{"hooks", "state", "/home/u/.codex/hooks.json:pre_tool_use:0:0"}, Key: "trusted_hash", Value: value}
}

// Each case is one notation of the table of a trust record: before, with the record, and after its removal ("=": as
// before).
func TestTrust(t *testing.T) {
	const key = `"/home/u/.codex/hooks.json:pre_tool_use:0:0"`
	for _, c := range []struct{ name, before, after, left string }{
		{"empty file", "", "[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"\n", "="},
		{
			"others' state", "[hooks.state]\n\n[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:9\" # mine\n",
			"[hooks.state]\n\n[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:9\" # mine\n\n[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"\n", "=",
		},
		{
			"an older hash", "[hooks.state." + key + "]\ntrusted_hash = 'sha256:0' # old\n[tui]\n",
			"[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\" # old\n[tui]\n", "[tui]\n",
		},
		{
			"a table without the hash", "[hooks.state." + key + "]\n  enabled = false\n\n[tui]\nx = 1\n",
			"[hooks.state." + key + "]\n  enabled = false\n  trusted_hash = \"sha256:1\"\n\n[tui]\nx = 1\n", "=",
		},
		{"a header alone", "[hooks.state." + key + "]", "[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"", ""},
		{
			"dotted keys", "[hooks.state]\n" + key + ".enabled = true\n\n[tui]\n",
			"[hooks.state]\n" + key + ".enabled = true\n" + key + ".trusted_hash = \"sha256:1\"\n\n[tui]\n", "=",
		},
		{
			"braces", "[hooks.state]\n" + key + " = { enabled = true }\n", "[hooks.state]\n" + key + " = { enabled = true, trusted_hash = \"sha256:1\" }\n", "=",
		},
		{"state in braces", "hooks.state = {}\n", "hooks.state = { " + key + " = { trusted_hash = \"sha256:1\" } }\n", "="},
		{
			"hooks in braces", "hooks = { Stop = [] }\n", "hooks = { Stop = [], state = { " + key + " = { trusted_hash = \"sha256:1\" } } }\n",
			"=",
		},
		{"hooks in empty braces", "hooks = {}\n", "hooks = { state = { " + key + " = { trusted_hash = \"sha256:1\" } } }\n", "="},
		{
			"a state in braces that others are in", "hooks = { state = { x = { enabled = true } } }\n",
			"hooks = { state = { x = { enabled = true }, " + key + " = { trusted_hash = \"sha256:1\" } } }\n", "=",
		},
		{"a last line without an end", "a = 1", "a = 1\n\n[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"", "="},
		{"the same with CRLF", "b = 2\r\na = 1", "b = 2\r\na = 1\r\n\r\n[hooks.state." + key + "]\r\ntrusted_hash = \"sha256:1\"", "="},
		{"there already", "[hooks.state." + key + "]\ntrusted_hash = '''sha256:1'''\n", "=", ""},
		{"CRLF", "a = 1\r\n", "a = 1\r\n\r\n[hooks.state." + key + "]\r\ntrusted_hash = \"sha256:1\"\r\n", "="},
	} {
		t.Run(c.name, func(t *testing.T) {
			orBefore := func(s string) string {
				if s == "=" {
					return c.before
				}
				return s
			}
			after, err := SetTrust([]byte(c.before), record("sha256:1"))
			if err != nil || string(after) != orBefore(c.after) {
				t.Fatalf("got %v\n%s\nwant\n%s", err, after, c.after)
			}
			again, err := SetTrust(after, record("sha256:1"))
			if err != nil || string(again) != string(after) {
				t.Errorf("the second run: %v\n%s", err, again)
			}
			other, err := RemoveTrust(after, []setup.TrustRecord{record("sha256:2")})
			if err != nil || string(other) != string(after) {
				t.Errorf("another value was removed: %v\n%s", err, other)
			}
			left, err := RemoveTrust(after, []setup.TrustRecord{record("sha256:1")})
			if err != nil || string(left) != orBefore(c.left) {
				t.Errorf("removed: %v\n%q\nwant\n%q", err, left, orBefore(c.left))
			}
		})
	}
	for _, bad := range []string{"hooks = 1\n", "[hooks]\nstate = 'x'\n", "a = \n", "[hooks.state]\n" + key + " = 1\n"} {
		if _, err := SetTrust([]byte(bad), record("sha256:1")); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
