package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/installer"
	"wsi/internal/testkit/samplehome"
)

func schemaOf(t *testing.T, command string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", command+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// valid checks a printed object against the schema.
func valid(t *testing.T, s *jsonschema.Schema, text string) map[string]any {
	t.Helper()
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
	return v
}

// The output of setup and remove --json matches the schema, in success and failure.
func TestSetupJSONMatchesSchema(t *testing.T) {
	schema := schemaOf(t, "setup")
	w := newWorld(t, samplehome.Files("{{HOME}}"), nil)
	countAsTemporary(t)
	edited := "// wsi opencode plugin v1 sha256:00\nconst WSI = \"/old/wsi\";\nexport const wsi = mine;\n"
	for _, c := range []struct {
		name    string
		args    string
		before  func()
		exit    int
		applied bool
		filled  []string // lists that have something in them
	}{
		{name: "what would be", args: "setup --dry-run --binary " + installed, filled: []string{"changes", "left_for_you", "good_to_know"}},
		{name: "set up", args: "setup --yes --binary " + installed, applied: true, filled: []string{"changes", "left_for_you", "good_to_know"}},
		{name: "again", args: "setup --yes --binary " + installed, applied: true, filled: []string{"unchanged", "left_for_you"}},
		{name: "for another server", args: "setup --dry-run --server mine=workflow-server --binary " + installed, filled: []string{"changes", "remarks"}},
		{name: "in a project", args: "setup --yes --scope project --binary " + installed, applied: true, filled: []string{"changes", "remarks", "left_for_you"}},
		{
			name: "some refused", args: "setup --yes --harness claude-code,codex --server mine=workflow-server --binary " + installed, exit: 1, applied: true, filled: []string{"changes", "refused"},
			before: func() { w.put(t, ".claude/settings.json", "{ torn") },
		},
		{name: "all refused", args: "setup --yes --harness claude-code --binary " + installed, exit: 1, filled: []string{"refused"}},
		{
			name: "edited", args: "setup --dry-run --harness opencode --binary " + installed, exit: 1, filled: []string{"refused"},
			before: func() { w.put(t, ".config/opencode/plugin/wsi.js", edited) },
		},
		{name: "what would be removed", args: "remove --dry-run", exit: 1, filled: []string{"changes", "refused", "left_for_you"}},
		{name: "removed", args: "remove --yes --harness codex,cursor", applied: true, filled: []string{"changes", "left_for_you"}},
		{name: "removed from the project", args: "remove --yes --scope project", applied: true, filled: []string{"changes", "left_for_you"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.before != nil {
				c.before()
			}
			out, exit := w.run(append(strings.Fields(c.args), "--json")...)
			if exit != c.exit {
				t.Fatalf("exit status %d, want %d: %s", exit, c.exit, w.errs)
			}
			v := valid(t, schema, out)
			if v["applied"] != c.applied {
				t.Errorf("applied: %v", v["applied"])
			}
			for _, list := range c.filled {
				if items, _ := v[list].([]any); len(items) == 0 {
					t.Errorf("nothing in %s:\n%s", list, out)
				}
			}
		})
	}
}

// The schema has every field, with a description, and no other field.
func TestSchemaHasEveryField(t *testing.T) {
	for command, typ := range map[string]reflect.Type{
		"setup":  reflect.TypeFor[installer.Review](),
		"doctor": reflect.TypeFor[report.Document](),
		"hooks":  reflect.TypeFor[hooklist.List](),
	} {
		schema := schemaOf(t, command)
		compareFields(t, command, schema, schema, typ)
		for name, s := range schema.Defs {
			if name != "sentences" && s.Description == "" {
				t.Errorf("%s: $defs/%s has no description", command, name)
			}
		}
	}
}

// The output of doctor --json matches its schema.
func TestDoctorJSONMatchesSchema(t *testing.T) {
	schema := schemaOf(t, "doctor")
	w := newWorld(t, samplehome.Files("{{HOME}}"), nil)
	for _, c := range []struct {
		args string
		exit int
	}{{"", 1}, {"--harness codex", 1}, {"--only wsi", 1}, {"--only wsi.state", 0}, {"--only hook.file", 0}, {"--harness cursor --only fired", 2}} {
		out, exit := w.run(append([]string{"doctor", "--json"}, strings.Fields(c.args)...)...)
		if exit != c.exit {
			t.Errorf("doctor %s: exit status %d, want %d: %s", c.args, exit, c.exit, w.errs)
		}
		if exit < 2 {
			v := valid(t, schema, out)
			if v["healthy"] != (exit == 0) {
				t.Errorf("doctor %s: healthy: %v", c.args, v["healthy"])
			}
		}
	}
}

// The output of hooks --json matches its schema, with files that cannot be read.
func TestHooksJSONMatchesSchema(t *testing.T) {
	schema := schemaOf(t, "hooks")
	w := newWorld(t, nil, nil)
	out, _ := w.run("hooks", "--json")
	valid(t, schema, out)
	w.put(t, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "rtk hook claude"}]},
		{"hooks": [{"type": "http", "url": "http://localhost"}, {"type": "http", "url": "http://localhost/2"}]}]}}`)
	w.put(t, ".codex/hooks.json", "{ torn")
	carryThrough(t, w)
	w.put(t, ".cursor/hooks.json", `{"version": 1, "hooks": {"preToolUse": [{"command": "`+installed+` inject --harness cursor"}]}}`)
	for _, flags := range []string{"--json", "--json --harness claude-code,cursor"} {
		out, exit := w.run(append([]string{"hooks"}, strings.Fields(flags)...)...)
		if exit != 0 {
			t.Fatal(exit, w.errs)
		}
		v := valid(t, schema, out)
		for _, list := range []string{"harnesses", "hooks"} {
			if items, _ := v[list].([]any); len(items) == 0 {
				t.Errorf("%s: nothing in %s:\n%s", flags, list, out)
			}
		}
	}
}

func compareFields(t *testing.T, path string, root, s *jsonschema.Schema, typ reflect.Type) {
	t.Helper()
	if s.Ref != "" {
		s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	if s == nil {
		t.Errorf("%s: no schema", path)
		return
	}
	if typ == reflect.TypeFor[time.Time]() {
		return
	}
	switch typ.Kind() { //nolint:exhaustive // others have no parts
	case reflect.Slice:
		compareFields(t, path+"[]", root, s.Items, typ.Elem())
	case reflect.Struct:
		var names, required []string
		for _, field := range reflect.VisibleFields(typ) {
			if field.Anonymous || !field.IsExported() || typ.Field(field.Index[0]).Tag.Get("json") == "-" {
				continue // VisibleFields also returns the fields of an anonymous one
			}
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			names = append(names, name)
			if !strings.HasPrefix(options, "omit") {
				required = append(required, name)
			}
			p := s.Properties[name]
			if p == nil {
				t.Errorf("%s.%s is not in the schema", path, name)
				continue
			}
			if p.Description == "" && p.Ref == "" {
				t.Errorf("%s.%s has no description", path, name)
			}
			compareFields(t, path+"."+name, root, p, field.Type)
		}
		for name := range s.Properties {
			if !slices.Contains(names, name) {
				t.Errorf("%s.%s is in the schema alone", path, name)
			}
		}
		if slices.Sort(required); !slices.Equal(required, slices.Sorted(slices.Values(s.Required))) {
			t.Errorf("%s: required are %q, but always there are %q", path, s.Required, required)
		}
		if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
			t.Errorf("%s lets other fields in", path)
		}
	}
}
