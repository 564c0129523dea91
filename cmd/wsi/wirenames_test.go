package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/doctor/status"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/internal/testkit/samplehome"
)

// The golden files in testdata/wirenames hold the names that files of users, scripts and other programs depend
// on. A name may be added; none may change or go without a decision (docs/decisions). -update rewrites all files but why.txt, to
// which lines are added by hand.
var update = flag.Bool("update", false, "write the golden files of the wire names")

func wireFile(name string) string { return filepath.Join("testdata", "wirenames", name+".txt") }

// wireLines returns the lines of a golden file.
func wireLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(wireFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n")
}

// compareWire compares lines with a golden file.
func compareWire(t *testing.T, name string, got []string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(wireFile(name), []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(wireLines(t, name), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", wireFile(name), diff)
	}
}

// keySet holds the key paths of JSON documents with their types, and all words of the keys in wireWords.
type keySet map[string]bool

var wireWords = regexp.MustCompile(`\.(link|action|verb|scope|wiring|by|did|who|format)$`)

func (k keySet) lines() []string { return slices.Sorted(maps.Keys(k)) }

// decode adds what is in some JSON documents.
func (k keySet) decode(t *testing.T, name, text string) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		k.add(name, v)
	}
}

func (k keySet) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			k.add(path+"."+name, member)
		}
	case []any:
		for _, item := range v {
			k.add(path+"[]", item)
		}
	case string:
		if wireWords.MatchString(path) && v != "*" {
			k[path+" = "+v] = true
		}
		k[path+" string"] = true
	default:
		k[fmt.Sprintf("%s %T", path, v)] = true
	}
}

// encode adds every key that a value of this type can have.
func (k keySet) encode(t *testing.T, name string, v any) {
	t.Helper()
	fill(reflect.ValueOf(v).Elem())
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	k.decode(t, name, string(text))
}

// fill sets everything in v, so that encoding leaves nothing out. Strings become "*".
func fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // others are not encoded, or runs show what is in them
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("*")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

// What --json prints, the ledger and the sessions in the vault.
func TestWireNamesOfJSON(t *testing.T) {
	keys, kept := keySet{}, keySet{}
	keys.encode(t, "setup", new(installer.Review))
	keys.encode(t, "doctor", new(report.Document))
	keys.encode(t, "status", new(status.Status))
	keys.encode(t, "log", new(journal.Entry))
	keys.encode(t, "hooks", new(hooklist.List))
	kept.encode(t, "vault", new(carry.State))
	w := newWorld(t, samplehome.Files("{{HOME}}"), nil)
	countAsTemporary(t)
	w.put(t, ".codeium/windsurf/mcp_config.json", `{"mcpServers": {"workflow-server": {"command": "node"}}}`)
	w.put(t, "src/demo/.codex/config.toml", "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"true\" }]\n")
	keepLedger := func(installer.Change) {
		if text, err := os.ReadFile(filepath.Join(w.StateDir, "ledger.json")); err == nil {
			kept.decode(t, "ledger", string(text))
		}
	}
	run := func(name, args string) {
		out, exit := w.run(append(strings.Fields(name+" "+args), "--json")...)
		if out == "" {
			t.Fatalf("%s %s: exit status %d: %s", name, args, exit, w.errs)
		}
		keys.decode(t, name, out)
		keepLedger(installer.Change{})
	}
	run("status", "")
	run("doctor", "--harness codex,cursor")
	run("setup", "--dry-run --binary "+installed)
	run("setup", "--yes --binary "+installed)
	run("setup", "--yes --wiring relay --harness claude-code --binary "+installed)
	run("setup", "--yes --scope project --harness claude-code,codex --binary "+installed)
	carryThrough(t, w)
	run("status", "")
	run("log", "-n -1")
	run("doctor", "")
	w.put(t, ".codex/hooks.json", "{ torn")
	w.put(t, ".cursor/hooks.json", `{"version": 1, "hooks": {"preToolUse": [{"command": "`+installed+` inject --harness cursor"}]}}`)
	run("setup", "--dry-run --binary "+installed)
	run("status", "")
	cursor, _ := registry.Get("cursor")
	p, err := installer.PlanSetup(installer.Options{
		Env: w.Env, FS: files.Disk{}, StateDir: w.StateDir, Scope: setup.User, Harnesses: []setup.Harness{cursor},
		Setup: installer.Setup{Program: setup.Program{Path: installed, Servers: []string{"mine"}}},
	})
	if err == nil {
		err = installer.Apply(t.Context(), files.Disk{}, p, keepLedger) // as it is while files change
	}
	if err != nil {
		t.Fatal(err)
	}
	run("setup", "--yes --harness opencode --binary "+installed)
	run("remove", "--yes --harness cursor,opencode")
	compareWire(t, "json", keys.lines())
	compareWire(t, "state", append(kept.lines(), stateFiles(t, w)...))
}

// stateFiles returns the names of the files in the state folder, with X for what is made of hashes.
func stateFiles(t *testing.T, w *world) []string {
	t.Helper()
	names, hash := keySet{}, regexp.MustCompile(`\b[0-9a-f]{2,}\b`)
	err := filepath.WalkDir(w.StateDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.StateDir, path)
			names["file "+hash.ReplaceAllString(filepath.ToSlash(rel), "X")] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.lines()
}

// carryThrough has the hook and the relay carry a value.
func carryThrough(t *testing.T, w *world) {
	t.Helper()
	token := "eyJzaWQiOiIxMTExMTExMS0xMTExLTQxMTEtODExMS0xMTExMTExMTExMTEiLCJhaWQiOiJhIiwic2VxIjoxfQ." + strings.Repeat("a", 64)
	const event = `{"session_id":%q,"hook_event_name":%q,"tool_name":"mcp__workflow-server__%s","tool_input":{%s},"tool_response":[{"type":"text","text":%q}],"tool_use_id":"x"}`
	for _, c := range [][]string{ // verb, session, event, tool, arguments, result
		{"capture", "s", "PostToolUse", "start_session", "", `{"session_token":"` + token + `"}`},
		{"inject", "s", "PreToolUse", "next_activity", "", ""},
		{"inject", "s", "PreToolUse", "next_activity", `"session_token":"` + token[1:] + `"`, ""},
		{"inject", "new", "PreToolUse", "next_activity", "", ""},
		{"inject --relay", "s", "PreToolUse", "next_activity", "", ""},
	} {
		opt, _ := hookArgs(append(strings.Fields(c[0]), "--harness", "claude-code"))
		hook.Run(hook.Env{
			Stdin: strings.NewReader(fmt.Sprintf(event, c[1], c[2], c[3], c[4], c[5])), Stdout: &bytes.Buffer{}, Home: w.Home, GOOS: "linux",
			Getenv: func(name string) string { return map[string]string{"WSI_STATE_DIR": w.StateDir}[name] },
		}, opt)
	}
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"sessionId":"s","threadId":"s"}}}` + "\n"
	cmd := exec.Command("wsi", "relay", "--server", "workflow-server", "--harness", "codex", "--state", w.StateDir, "--", "wsi", "reference-server", "--state", t.TempDir())
	cmd.Stdin = strings.NewReader(fmt.Sprintf(call, 1, "start_session") + fmt.Sprintf(call, 2, "get_activity"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The checks in their order.
func TestWireNamesOfChecks(t *testing.T) {
	var lines []string
	for _, c := range doctor.List() {
		lines = append(lines, strings.TrimSpace(string(c.ID)+" "+string(c.Link)))
	}
	compareWire(t, "checks", lines)
}

// The journal as it is on disk, and the words in it.
func TestWireNamesOfTheJournal(t *testing.T) {
	var e journal.Entry
	fill(reflect.ValueOf(&e).Elem())
	w := newWorld(t, nil, nil)
	j := journal.In(w.StateDir)
	if err := j.Append(e); err != nil {
		t.Fatal(err)
	}
	carryThrough(t, w)
	text, err := os.ReadFile(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	keys := keySet{}
	keys.decode(t, filepath.Base(j.Path), string(text))
	first, _, _ := strings.Cut(string(text), "\n")
	if read, ok := journal.Parse([]byte(first)); !ok || read != e {
		t.Errorf("wrote %+v, read %+v", e, read)
	}
	words := sourceStrings(t, "hook", "relay")
	for _, word := range status.Words {
		if keys["journal.jsonl."+word.Did+" bool"] { // a member of its own
			continue
		}
		if keys["journal.jsonl.did = "+word.Did] = true; !words[word.Did] {
			t.Errorf("wsi log knows %q, and no hook writes it", word.Did)
		}
	}
	for _, word := range actions() {
		keys["log --did "+word] = true
	}
	compareWire(t, "journal", keys.lines())
	for _, line := range wireLines(t, "why") { // the sentences of "why", or the fixed parts of them
		if text, err := strconv.Unquote(line); err != nil || !words[text] {
			t.Errorf("no hook writes %s as why", line)
		}
	}
}

// sourceStrings returns the string literals of the program in these folders.
func sourceStrings(t *testing.T, dirs ...string) keySet {
	t.Helper()
	all := keySet{}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value)
					all[text] = true
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
