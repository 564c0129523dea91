package refserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leftOut are the members that the workflow-server always has and this server has not, because no proof needs them.
var leftOut = map[string][]string{
	"start_session text":  {"workflow/description"},
	"dispatch_child text": {"planning_folder_path"},
	"get_workflow text":   {"description", "planning_folder_path", "rules", "techniques", "title", "variables", "version"},
	"get_activity meta":   {"activity_rules", "artifact_prefix", "artifacts", "dispatch"},
	"get_activity text":   {"activity_rules", "artifact_prefix", "artifacts", "description", "name", "rules", "techniques", "transitions", "version"},
	"health_check text":   {"repo_binding", "uptime_seconds", "version", "workflows_available"},
}

// testdata/index-forms.json has the names and types in exchanges recorded with m2ux/workflow-server at cd11b63f, by tool
// and part. This server has them all, apart from leftOut, and no others.
func TestIndexForms(t *testing.T) {
	var recorded map[string]map[string]map[string]string
	if err := json.Unmarshal(must(os.ReadFile("testdata/index-forms.json")), &recorded); err != nil {
		t.Fatal(err)
	}
	s := Open(t.TempDir(), Options{Index: true})
	seen := map[string]form{}
	see := func(tool, args string) answered {
		t.Helper()
		a := call(t, s, tool, args)
		if a.IsError || len(a.Content) != 1 {
			t.Fatal(tool, a.Content)
		}
		parts := map[string]any{" text": content(a)}
		if a.Meta != nil {
			parts[" meta"] = a.Meta
		}
		if token, ok := a.Meta["trace_token"].(string); ok {
			body, _, _ := strings.Cut(token, ".")
			parts[" trace token"] = decoded(string(must(base64.RawURLEncoding.DecodeString(body))))
		}
		for part, value := range parts {
			if seen[tool+part] == nil {
				seen[tool+part] = form{}
			}
			seen[tool+part].add("", value)
		}
		return a
	}
	with := func(opened answered, more string) string {
		return `{"session_index":"` + opened.index() + `"` + more + `}`
	}
	own := see("start_session", `{}`)
	see("get_workflow", with(own, ``))
	see("health_check", `{}`)
	var tokens []string
	for _, more := range []string{`"design"`, `"build"`, `"review","agent_id":"a","context_tokens":100`} {
		tokens = append(tokens, see("next_activity", with(own, `,"activity_id":`+more)).trace())
		see("get_activity", with(own, `,"agent_id":"a","context_tokens":100`))
		see("get_workflow_status", with(own, ``))
	}
	call(t, s, "next_activity", with(own, `,"activity_id":"nowhere"`))
	see("next_activity", with(own, `,"activity_id":"design"`))
	see("next_activity", with(see("dispatch_child", with(own, `,"workflow_id":"w"`)), `,"activity_id":"design"`))
	see("get_trace", with(own, ``))
	see("get_trace", with(own, `,"trace_tokens":`+list(append(tokens, "x")...)))

	for tool, parts := range recorded {
		for part, want := range parts {
			name := tool + " " + part
			if part == "arguments" {
				compareArguments(t, s, tool, want)
			} else if missing := seen[name].compare(t, name, want); !slices.Equal(missing, leftOut[name]) {
				t.Errorf("%s has no %q", name, missing)
			}
			delete(seen, name)
		}
	}
	if len(seen) > 0 {
		t.Error("not recorded:", slices.Collect(maps.Keys(seen)))
	}
}

// content returns the decoded text of a result. Of a text in lines it is their names.
func content(a answered) any {
	text, _ := a.Content[0]["text"].(string)
	if strings.HasPrefix(text, "{") {
		return decoded(text)
	}
	names := map[string]any{}
	for _, line := range regexp.MustCompile(`(?m)^(\w+):`).FindAllStringSubmatch(text, -1) {
		names[line[1]] = line
	}
	return names
}

func decoded(text string) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}

// form has the paths of members with their kinds, one for each time that the member was there.
type form map[string][]string

var kinds = map[string]string{"string": "string", "float64": "number", "bool": "boolean", "[]string": "line", "map[string]interface {}": "object", "[]interface {}": "array"}

func (f form) add(at string, value any) {
	f[at] = append(f[at], kinds[fmt.Sprintf("%T", value)])
	members, _ := value.(map[string]any)
	for name, inner := range members {
		f.add(path.Join(at, name), inner)
	}
	list, _ := value.([]any)
	for _, inner := range list {
		f.add(path.Join(at, "[]"), inner)
	}
}

// compare fails the test if a member is not recorded, is of another type, or is only sometimes there. It returns the
// recorded members that are never there.
func (f form) compare(t *testing.T, name string, recorded map[string]string) (missing []string) {
	t.Helper()
	if len(f[""]) == 0 {
		t.Errorf("no %s", name)
	}
	container := func(at string) []string { return f[strings.TrimPrefix(path.Dir(at), ".")] }
	for at, kinds := range f {
		want, optional := strings.CutSuffix(recorded[at], "?")
		if at != "" && slices.ContainsFunc(kinds, func(kind string) bool { return kind != want }) {
			t.Errorf("%s %s is %v, recorded %q", name, at, kinds, recorded[at])
		}
		if at != "" && !optional && len(kinds) < len(container(at)) {
			t.Errorf("%s %s is sometimes missing", name, at)
		}
	}
	for at, kind := range recorded {
		if f[at] == nil && !strings.HasSuffix(kind, "?") && len(container(at)) > 0 {
			missing = append(missing, at)
		}
	}
	slices.Sort(missing)
	return missing
}

// compareArguments compares a tool's schema with the recorded one. It can lack arguments that are not required.
func compareArguments(t *testing.T, s *Server, tool string, recorded map[string]string) {
	t.Helper()
	tools := s.Tools()
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == tool })
	var schema struct {
		Properties map[string]struct {
			Type, Pattern string
			Items         struct{ Type string }
		}
		Required []string
	}
	if err := json.Unmarshal(tools[i].Schema, &schema); err != nil {
		t.Fatal(err)
	}
	delete(schema.Properties, "label")
	takes := map[string]string{}
	for name, p := range schema.Properties {
		takes[name] = p.Type
		if p.Items.Type != "" {
			takes[name] += " of " + p.Items.Type
		}
		if p.Pattern != "" {
			takes[name] += " " + p.Pattern
		}
		if !slices.Contains(schema.Required, name) {
			takes[name] += "?"
		}
	}
	maps.DeleteFunc(recorded, func(name, kind string) bool { return takes[name] == "" && strings.HasSuffix(kind, "?") })
	if diff := cmp.Diff(recorded, takes); diff != "" {
		t.Errorf("%s takes (-recorded +now):\n%s", tool, diff)
	}
}
