package installer

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/configgen"
)

// foreign is an edit by the user or another program after wsi was set up.
type foreign struct {
	name string
	json func(text string) string
	toml func(text string) string
}

var edits = []foreign{
	{
		"a value changed",
		func(text string) string { return strings.Replace(text, configgen.Mark, "theirs", 1) },
		func(text string) string { return strings.Replace(text, configgen.Mark, "theirs", 1) },
	},
	{"something first", firstMember, func(text string) string {
		rest, marked := strings.CutPrefix(text, configgen.BOM)
		return map[bool]string{true: configgen.BOM}[marked] + "# theirs\nforeign = [ 1 ]\n" + rest
	}},
	{"something last", lastMember, func(text string) string {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + "\n[foreign]\nx = 1 # theirs\n"
	}},
	{"nothing but space", func(text string) string { return text + "\n" }, func(text string) string { return text + "\n\n" }},
}

// firstMember inserts a member before all others. Where it is there already it gets a space: Codex refuses a second one.
func firstMember(text string) string {
	if strings.Contains(text, `"description"`) {
		return strings.Replace(text, `"description"`, `"description" `, 1)
	}
	if strings.TrimSpace(text) == "" {
		return "{\"description\": \"theirs\"}\n"
	}
	at := opening(text)
	comma := ","
	if rest := strings.TrimSpace(text[at:]); strings.HasPrefix(rest, "}") {
		comma = ""
	}
	return text[:at] + "\n  \"description\": \"theirs\"" + comma + text[at:]
}

// lastMember inserts a member after all others; before them if a comment makes it unclear whether a comma is
// needed.
func lastMember(text string) string {
	at := strings.LastIndexByte(text, '}')
	if at < 0 || strings.Contains(text, " //") || strings.Contains(text, "/*") || strings.Contains(text, `"description"`) {
		return firstMember(text)
	}
	head := strings.TrimRight(text[:at], " \t\r\n")
	if !strings.HasSuffix(head, "{") && !strings.HasSuffix(head, ",") {
		head += ","
	}
	return head + "\n  \"description\": \"theirs\"\n}" + text[at+1:]
}

// opening returns the index after the document's brace, which a comment may precede.
func opening(text string) int {
	skip := 0
	for _, comment := range []string{"// mine", "/* mine\n \"hooks\": { */", "/* mine\r\n \"hooks\": { */"} {
		if strings.HasPrefix(text, comment) {
			skip = len(comment)
		}
	}
	return skip + strings.IndexByte(text[skip:], '{') + 1
}

func (e foreign) to(path, text string) string {
	if filepath.Ext(path) == ".toml" {
		return e.toml(text)
	}
	return e.json(text)
}

// Other programs edit the files between setup and remove, so that wsi must remove its entries instead of
// restoring the files. Exactly the edits remain. Rows 1 and 23.
func TestOtherEditsRemain(t *testing.T) {
	t.Parallel()
	n := map[string]int{}
	configgen.Each(t, rounds(150), func(t *testing.T, r *rand.Rand) {
		t.Helper()
		before := randomHome(r)
		o, m := inMemory(before)
		o.Trust = r.IntN(2) == 0
		mustApply(t, PlanSetup, o)
		edited := map[string]foreign{}
		want := map[string]string{}
		installed := map[string]string{}
		for _, path := range []string{claudeFile, codexFile, configFile, cursorFile} {
			e := edits[r.IntN(len(edits))]
			at := filepath.Join(home(), path)
			is, there := m[at]
			if r.IntN(4) == 0 || !there || e.name == "a value changed" && !strings.Contains(before[path], configgen.Mark) {
				continue
			}
			edited[path], want[path], installed[path] = e, e.to(path, before[path]), e.to(path, string(is.Data))
			m.put(at, installed[path])
		}
		if r.IntN(2) == 0 { // wsi is set up once more over them
			mustApply(t, PlanSetup, o)
		}
		mustApply(t, PlanRemove, o)
		for path, e := range edited {
			n[e.name+" in "+filepath.Base(path)]++
			e.remains(t, path, before[path], want[path], installed[path], m)
		}
	})
	t.Logf("%v", n)
	if n["a value changed in settings.json"] == 0 || n["a value changed in config.toml"] == 0 {
		t.Error("no document has the value of another program")
	}
}

func (e foreign) remains(t *testing.T, path, before, want, installed string, m memory) {
	t.Helper()
	at := filepath.Join(home(), path)
	is := ""
	if f, ok := m[at]; ok {
		is = string(f.Data)
	}
	wanted := memory{}
	wanted.put(at, want)
	text := func(in memory) string {
		v := meaningOf(t, at, in)
		if strings.TrimSpace(before) == "" { // of an empty document Cursor's version may stay
			delete(v, "version")
		}
		return withoutEmptyState(v)
	}
	if text(wanted) != text(m) || strings.Contains(filepath.ToSlash(is), ".local/bin/wsi") || strings.TrimSpace(before) != "" && tidy(path, is) != tidy(path, want) {
		t.Errorf("%s, %s:\nbefore\n%s\nwanted\n%s\ninstalled and edited\n%s\nremoved\n%s", path, e.name, before, want, installed, is)
	}
}

// tidy does not change JSON. A TOML file without a final line end may have one after its last lines were
// edited.
func tidy(path, text string) string {
	if filepath.Ext(path) != ".toml" {
		return text
	}
	return strings.Replace(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), ", state = {} }", " }", 1)
}

// withoutEmptyState removes an empty inline table "state", which remove may leave.
func withoutEmptyState(v map[string]any) string {
	if hooks, ok := v["hooks"].(map[string]any); ok {
		if state, ok := hooks["state"].(map[string]any); ok && len(state) == 0 {
			delete(hooks, "state")
		}
	}
	return fmt.Sprint(v)
}
