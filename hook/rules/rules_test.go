package rules

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	gofmt "go/format"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
	"wsi/internal/testkit/growthtest"
)

// BuiltinFile is the rule file of the built-in rules.
//
//go:embed builtin.toml
var BuiltinFile []byte

var update = flag.Bool("update", false, "write the built-in rules as Go")

// asWritten compares sets but for where they were written.
var asWritten = cmp.Options{cmpopts.IgnoreFields(Rule{}, "Origin"), cmpopts.EquateEmpty()}

func TestBuiltinIsItsFile(t *testing.T) {
	const file = "builtin_values.go"
	want, errs := Parse("builtin.toml", BuiltinFile)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for i := range want.Rules {
		want.Rules[i].Origin = Origin{}
	}
	source, err := gofmt.Source([]byte("// Code generated from builtin.toml by go test ./hook/rules -update; DO NOT EDIT.\n\n" +
		"package rules\n\nimport \"wsi/hook/carry\"\n\nvar builtin = Set" + literal(reflect.ValueOf(want)) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, source, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, source) {
		t.Errorf("%s is not builtin.toml (%v); run go test ./hook/rules -update", file, err)
	}
	if diff := cmp.Diff(want, Builtin(), asWritten); diff != "" {
		t.Errorf("(-file +program):\n%s", diff)
	}
}

// literal returns the Go literal of a value without its type and without zero fields. The rules, and the fields of a rule,
// have their own lines.
func literal(v reflect.Value) string {
	var parts []string
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, literal(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 || f.Kind() != reflect.Slice && !f.IsZero() {
				typ := ""
				if f.Kind() == reflect.Slice || f.Kind() == reflect.Struct {
					typ = strings.ReplaceAll(f.Type().String(), "rules.", "")
				}
				parts = append(parts, v.Type().Field(i).Name+": "+typ+literal(f))
			}
		}
	default:
		return fmt.Sprintf("%#v", v.Interface())
	}
	if t := v.Type(); t == reflect.TypeFor[carry.Rule]() || t == reflect.TypeFor[[]Rule]() {
		return "{\n" + strings.Join(parts, ",\n") + ",\n}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each process reads the file as it is: what was edited a moment ago counts.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	const mine = "[[carry]]\nname = 'mine'\nservers = ['%s']\n[carry.capture]\nfrom = ['meta:x']\n"
	base, err := Load(file)
	if err != nil || len(base.Rules) == 0 {
		t.Fatalf("without a file: %v", err)
	}
	for _, server := range []string{"one", "two"} {
		write(t, file, fmt.Sprintf(mine, server))
		if s, err := Load(file); err != nil || s.For(server)[0].Name != "mine" || len(s.Rules) != len(base.Rules)+1 {
			t.Errorf("%v, %+v", err, s.For(server))
		}
	}
	write(t, file, "[[carry]]\nnam = 'mine'\n")
	var errs Errors
	if s, err := Load(file); !errors.As(err, &errs) || len(s.Rules) != len(base.Rules) {
		t.Errorf("a wrong file: %v, %d rules", err, len(s.Rules))
	}
	if s, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") || len(s.Rules) != len(base.Rules) {
		t.Errorf("a folder: %v", err)
	}
	write(t, file, strings.Repeat("#", maxFile+1))
	var large plainfile.TooLargeError
	if _, err := Load(file); !errors.As(err, &large) {
		t.Errorf("too large: %v", err)
	}
}

func TestUserFile(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	for _, c := range []struct{ xdg, home, want string }{
		{"", config, filepath.Join(config, ".config", "wsi", FileName)},
		{config, "", filepath.Join(config, "wsi", FileName)},
		{"relative", config, filepath.Join(config, ".config", "wsi", FileName)},
		{"", "", ""},
	} {
		if got := UserFile(func(string) string { return c.xdg }, c.home); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// choices returns what a text that is not valid may be, as the error says.
func choices(file, text string) (words []string) {
	_, errs := Parse("x", []byte(file))
	for _, e := range errs {
		if strings.Contains(e.What, text) {
			for _, word := range strings.FieldsFunc(e.Write, func(r rune) bool { return r == ' ' || r == ',' || r == '"' }) {
				if word, _, _ = strings.Cut(word, ":"); word != "or" {
					words = append(words, word)
				}
			}
		}
	}
	return words
}

// The keys of a rule file, and the words that a value may be, are in users' files.
func TestWireNamesOfRules(t *testing.T) {
	const odd, file = "zzzzzzzzzzzzzzzz", "../../cmd/wsi/testdata/wirenames/rules.txt"
	var lines, paths, names []string
	var walk func(table reflect.Type, path string, within func(string) string)
	walk = func(table reflect.Type, path string, within func(string) string) {
		for _, f := range keyed(table) {
			key, is, name, form := keyOf(f), f.Type, ".", "{%s}"
			names, lines = append(names, key), append(lines, path+key)
			for _, value := range []string{`"%s"`, `["%s"]`} {
				for _, word := range choices(within(key+" = "+fmt.Sprintf(value, odd)), odd) {
					lines = append(lines, path+key+" = "+word)
				}
			}
			if is.Kind() == reflect.Slice {
				is, name, form = is.Elem(), "[].", "[{%s}]"
			}
			if is.Kind() == reflect.Struct && len(keyed(is)) > 0 {
				walk(is, path+key+name, func(s string) string { return within(key + " = " + fmt.Sprintf(form, s)) })
			} else {
				paths = append(paths, path+key)
			}
		}
	}
	walk(reflect.TypeFor[document](), "", func(s string) string { return s })
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), text); diff != "" || err != nil {
		t.Errorf("%s: %v (-want +got):\n%s", file, err, diff)
	}
	const most = 34 // each key is one more thing to learn, to document and to check
	slices.Sort(names)
	if names = slices.Compact(names); len(paths) > most || len(names) > most || len(paths) < most-5 {
		t.Errorf("%d keys, %d words: %q", len(paths), len(names), paths)
	}
}

// keyed returns the fields of a type that have a key.
func keyed(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || keyOf(f) == "-" })
}

// Each archive holds a rule file and the expected messages; -update rewrites them.
func TestBadFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d archives: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")))
			set, errs := Parse("rules.toml", a.Files[0].Data)
			if len(errs) == 0 || len(set.Rules)+len(set.Leave) > 0 {
				t.Errorf("%d rules and %d errors", len(set.Rules), len(errs))
			}
			said := errs.Error() + "\n"
			if *update {
				a.Files[1].Data = []byte(said)
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[1].Data), said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is in a file, parsing it takes no longer than a person would wait.
func TestHostileFiles(t *testing.T) {
	many := func(format string, most int) string {
		var all strings.Builder
		for i := 0; all.Len() < maxFile-32; i++ {
			fmt.Fprintf(&all, format, i%most)
		}
		return all.String()
	}
	for name, file := range map[string]string{
		"keys": many("k%d=1\n", maxFile), "dotted": many("k%d.x=1\n", maxFile), "words": "[[leave]]\ntools=[" + many("'%d',", 300) + "]",
		"deep": "x=" + strings.Repeat("[", maxFile/2) + strings.Repeat("]", maxFile/4), "large": strings.Repeat("#", maxFile+1),
	} {
		var errs Errors
		took := growthtest.Spent(func() { _, errs = Parse("rules.toml", []byte(file)) })
		if len(errs) == 0 || len(errs) > maxErrors || took > 2*time.Second {
			t.Errorf("%s: %d errors in %s", name, len(errs), took)
		}
		t.Logf("%s: %s", name, took)
	}
}

func TestWrongTypes(t *testing.T) {
	for text, key := range map[string]string{
		"name = ['a']": "name", "servers = 'a'": "servers", "servers = ['a', 1]": "servers", "enabled = 'yes'": "enabled", "secret = 0": "secret",
		"scope = true": "scope", "capture = ['meta:x']": "capture", "capture.from = 'meta:x'": "capture.from", "show = 'meta:x'": "show",
		"inject = {tools = ['a']}": "inject",
	} {
		_, errs := Parse("rules.toml", []byte("\n[[carry]]\n"+text+"\n"))
		want := `: "carry.` + key + `" has a value of a wrong type; write it as docs/rules.md does`
		if len(errs) != 1 || errs[0].Line != 3 || errs[0].Column < strings.Index(text, "=") || !strings.HasSuffix(errs.Error(), want) {
			t.Errorf("%s: %v\n%s", text, errs, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	s, errs := Parse("rules.toml", []byte("[[carry]]\nname = 'mine'\nservers = ['tickets']\n[carry.capture]\nfrom = ['structured:a.b']\n[[carry.inject]]\ntools = ['next']\nargument = 'a.b'\n"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := Rule{Servers: []string{"tickets"}, Rule: carry.Rule{
		Name: "mine", Secret: true, Scope: "agent",
		Capture: carry.Capture{From: []carry.Source{{Kind: carry.Structured, Path: "a.b"}}, Tools: carry.Tools{"*"}},
		Inject:  []carry.Inject{{Tools: carry.Tools{"next"}, Argument: "a.b", Choose: "only", Otherwise: "leave"}},
	}}
	if diff := cmp.Diff([]Rule{want}, s.Rules, asWritten); diff != "" {
		t.Error(diff)
	}
}

// A key in a header, dotted or inline is the same key.
func TestWaysOfWriting(t *testing.T) {
	ways := []string{
		"[[carry]]\nname='x'\nservers=['s']\ncapture.from=['self:a']\n",
		"carry=[{name='x',servers=['s'],capture={from=['self:a']}}]\n",
		"\ufeff[[carry]]\r\nname='x'\r\nservers=['s']\r\n[carry.capture]\r\nfrom=['self:a']\r\n",
		"[[carry]]\nname='x'\nservers=['s']\n[carry.capture]\nfrom=['self:a']\n",
	}
	for _, way := range ways {
		for _, good := range []string{"meta:a", "json:a.b[].c", "json:[].id", "json:[]"} {
			s, errs := Parse("f", []byte(strings.ReplaceAll(way, "self:a", good)))
			if len(errs) > 0 || len(s.Rules) != 1 || s.Rules[0].Capture.From[0].String() != good {
				t.Errorf("%q: %v, %+v", way, errs, s.Rules)
			}
		}
		if _, errs := Parse("f", []byte(way)); len(errs) != 1 || errs[0].Path != `rule 1 ("x"): capture.from` || !strings.Contains(errs[0].What, `"self:a" is not a valid source`) {
			t.Errorf("%q: %v", way, errs)
		}
	}
}

func TestMerge(t *testing.T) {
	base := Builtin()
	over := func(text string) (Set, Errors) {
		all, _, errs := Over(base, "rules.toml", []byte(text))
		return all, errs
	}
	const token, index = "workflow-server token", "workflow-server index"

	s, err := over("[[carry]]\nname = '" + token + "'\nenabled = false\n")
	if err != nil || len(s.For("workflow-server")) != 2 || s.For("workflow-server")[0].Name != index {
		t.Errorf("switched off: %v, %+v", err, s.For("workflow-server"))
	}
	if base.Rules[0].Off {
		t.Error("merging changed the built-in rules")
	}
	s, err = over("[[carry]]\nname = '" + token + "'\nservers = ['mine']\n[carry.capture]\nfrom = ['meta:x']\n[[leave]]\ntools = ['mcp__mine__ask']\n")
	if err != nil || len(s.Rules) != len(base.Rules) || s.Rules[0].Servers[0] != "mine" || len(s.For("mine")) != 1 {
		t.Errorf("replaced: %v, %+v", err, s.Rules[0])
	}
	if !s.Leaves("mcp__mine__ask", "", "") || !s.Leaves("", "plexus", "loopback.permit") || s.Leaves("mcp__mine__tell", "mine", "tell") {
		t.Error("tools that are left alone are not added up")
	}
	const want = `rules.toml: rule 1 ("workflow-server tokn"): there is no built-in rule of this name to switch on or off; write a name that "wsi rules list" shows`
	if _, err = over("\n[[carry]]\nname = 'workflow-server tokn'\nenabled = false\n"); err == nil || err.Error() != want {
		t.Errorf("a slip in the name:\n%v\n%s", err, want)
	}
}

// What Parse takes can be used, and every error has a place in the file.
func FuzzParse(f *testing.F) {
	f.Add(BuiltinFile)
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(raw).Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		set, errs := Parse("rules.toml", file)
		lines := bytes.Count(file, []byte("\n")) + 1
		for _, e := range errs {
			if placed := e.Line > 0 && e.Line <= lines && e.Column > 0; placed == (e.Path != "") || e.What == "" {
				t.Fatalf("%+v in a file of %d lines", e, lines)
			}
		}
		if len(errs) > 0 {
			return
		}
		strict := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff")))).DisallowUnknownFields()
		if err := strict.Decode(&document{}); err != nil {
			t.Fatalf("no error, but %v", err)
		}
		for _, r := range set.Rules {
			r.Shape.Matches("x")
			for _, s := range r.Capture.From {
				for range s.Pattern.Find("x") { // that it does not panic is the test
				}
			}
		}
	})
}

// What one rule captures or collects, no other rule of the server shows the model.
func TestShowOfWhatAnotherRuleTakes(t *testing.T) {
	for text, wrong := range map[string]bool{
		"name = 'curious'\nservers = ['workflow_server']\nshow = ['meta:trace_token']":                                                             true,
		"name = 'curious'\nservers = ['Workflow-Server']\nshow = ['meta:validation', 'meta:session_token']":                                        true,
		"name = 'curious'\nservers = ['other']\nshow = ['meta:trace_token']":                                                                       false,
		"name = 'curious'\nservers = ['workflow-server']\nshow = ['meta:trace']":                                                                   false,
		"name = 'curious'\nservers = ['workflow-server']\nshow = ['meta:trace_token']\n[[carry]]\nname = 'workflow-server trace'\nenabled = false": false,
	} {
		_, _, errs := Over(Builtin(), "rules.toml", []byte("\n[[carry]]\n"+text+"\n"))
		if (len(errs) > 0) != wrong || wrong && (errs[0].Path != `rule 1 ("curious"): show` || !strings.Contains(errs[0].Error(), `"workflow-server t`) || errs[0].Write == "") {
			t.Errorf("%s: %v", text, errs)
		}
	}
}
