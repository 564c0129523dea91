package edit

import (
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
		{"json", "{\n  \"a\": {\n", "line 3, column 1: it ends too early"},
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
		{"jsonc", "// nothing but a comment\n", "it ends too early"},
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
