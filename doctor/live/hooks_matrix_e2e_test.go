//go:build e2e

package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// hookTrial compares what `wsi hooks` says of a home's hooks with those that the harness's own binary runs.
//
// Every hook of the home has a name of its own, such as fired-bash, which stands in its command, its path, or in the line
// of its file with which it begins. It has run if it left a file of that name, or made a request in whose path or text the
// name is.
type hookTrial struct {
	t       *testing.T
	version string
	rig     *Rig

	marks  string   // the folder of the files
	events []string // those that the run makes come
	env    []string // additional, of the harness and of wsi
	args   []string // additional, of the harness

	otherwise []string // names of hooks with which this version does otherwise than what is predicted for the newest
	once      []string // names of hooks that may run only once
	over      string   // a folder that both see over /etc, "" = none
	web       *httptest.Server
	asked     chan string // the paths of its requests
}

var hookName = regexp.MustCompile(`fired-[a-z0-9-]+`)

// hookRow is a row of `wsi hooks --json`.
type hookRow struct {
	Origin, Owner, Event, Matcher, Type, Command, File string

	Line   int
	CanRun bool `json:"can_run"`
	State  string
	Reason string
}

// expected reports whether a hook should run: nothing is known against it, and its harness can be asked what it runs.
func (h *hookTrial) expected(r hookRow) bool {
	return r.CanRun && r.State != "not-judged" && slices.Contains([]string{"claude-code", "codex", "opencode"}, h.rig.id)
}

// name returns the name of a row's hook, "" if it has none.
func (r hookRow) name(t *testing.T) string {
	t.Helper()
	if name := hookName.FindString(r.Command); name != "" {
		return name
	}
	if content, err := os.ReadFile(r.File); err == nil && r.Type == "script" {
		return hookName.FindString(string(content))
	} else if err == nil && r.Line > 0 {
		if lines := strings.Split(string(content), "\n"); r.Line <= len(lines) {
			return hookName.FindString(lines[r.Line-1])
		}
	}
	return hookName.FindString(filepath.Base(r.File))
}

// predicted returns what wsi says.
func (h *hookTrial) predicted() []hookRow {
	h.t.Helper()
	_, env := h.rig.driver.command(h.rig, "main", "", "")
	program, args := h.inside(h.rig.wsi, "hooks", "--json", "--harness", h.rig.id)
	path := "PATH=" + filepath.Dir(h.rig.binary) + string(os.PathListSeparator) + os.Getenv("PATH") // Claude Code is asked for its plugins
	out, err := h.rig.run(h.t.Context(), program, args, slices.Concat(env, h.env, []string{path}))
	var list struct{ Hooks []hookRow }
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		h.t.Fatalf("wsi hooks: %v\n%s", err, out)
	}
	return list.Hooks
}

// inside returns a command that runs a program with what the trial puts over /etc. It needs no rights: the program runs
// in name spaces of its own.
func (h *hookTrial) inside(program string, args ...string) (string, []string) {
	if h.over == "" {
		return program, args
	}
	mount := `mount -t overlay wsi -o "lowerdir=$0:/etc" /etc && exec "$@"`
	return "unshare", append([]string{"-rm", "sh", "-c", mount, h.over, program}, args...)
}

// patient returns a command that runs a program and then waits for marks, for ten seconds at most. A harness may end before
// its hooks (Codex 0.169.0 waits neither for notify nor for an asynchronous SessionEnd), and a Rig kills whatever is left then.
func (h *hookTrial) patient(marks []string, program string, args ...string) (string, []string) {
	const wait = `"$@"; code=$?; left=100
until ls $0 >/dev/null 2>&1 || [ "$left" = 0 ]; do sleep 0.1; left=$((left - 1)); done
exit $code`
	files := make([]string, 0, len(marks))
	for _, name := range marks {
		files = append(files, filepath.Join(h.marks, name))
	}
	return "sh", append([]string{"-c", wait, strings.Join(files, " "), program}, args...)
}

// run runs the harness and returns the names of the hooks that have run. asking are the names of those that ask the model,
// marking those that should leave a mark.
func (h *hookTrial) run(asking, marking []string) map[string]bool {
	h.t.Helper()
	args, env := h.rig.driver.command(h.rig, "main", "", "Work through the script. "+marker("main"))
	program, args := h.inside(h.rig.binary, append(args, h.args...)...)
	program, args = h.patient(marking, program, args...)
	out, err := h.rig.run(h.t.Context(), program, args, append(env, h.env...))
	if err != nil {
		h.t.Fatalf("%v\n%s", err, tail(out))
	}
	entries, err := os.ReadDir(h.marks)
	if err != nil {
		h.t.Fatal(err)
	}
	fired := map[string]bool{}
	for _, e := range entries {
		fired[e.Name()] = true
	}
	for len(h.asked) > 0 {
		fired[hookName.FindString(<-h.asked)] = true
	}
	calls, err := h.rig.Calls() // of hooks that call the server
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range calls {
		if hookName.MatchString(c.Label) {
			fired[c.Label] = true
		}
	}
	bodies := bytes.Join(h.rig.Model.bodies(), nil)
	for _, name := range asking {
		if bytes.Contains(bodies, []byte(name)) {
			fired[name] = true
		}
	}
	return fired
}

// unjudged are hooks of the trials that do not run for a reason that wsi does not judge: it reads no programs, and knows no
// lists of tools.
var unjudged = map[string][]string{
	"claude-code": {
		"fired-case", "fired-part", "fired-rule-two", "fired-list-case", "fired-server-underscore", "fired-server-other", "fired-unknown-tool",
		"fired-unknown-tools", "fired-post-nothing", "fired-if-never", "fired-syntax",
		"fired-gone-or", "fired-entry", "fired-loose", // the last two are in a marketplace's entry
	},
	"codex":       {"fired-lower-case", "fired-foreign-tools", "fired-plugin-linked", "fired-skill-rule", "fired-edit"},
	"gemini-cli":  {"fired-name-of-others", "fired-bad-pattern"},
	"qwen-code":   {"fired-misspelled", "fired-bad-pattern"},
	"copilot-cli": {"fired-part", "fired-pascal"},
}

// differs reports whether the harness does otherwise than wsi says.
func (h *hookTrial) differs(name string) bool {
	return slices.Contains(h.otherwise, name) || slices.Contains(unjudged[h.rig.id], name)
}

// compare fails for every hook that runs although wsi has a reason why it does not.
func (h *hookTrial) compare() {
	h.t.Helper()
	rows := h.predicted()
	var asking, marking []string
	for _, r := range rows {
		switch name := r.name(h.t); r.Type {
		case "prompt", "agent":
			if name != "" {
				asking = append(asking, name)
			}
		case "http", "mcp_tool":
		default:
			if name != "" && h.expected(r) && !h.differs(name) {
				marking = append(marking, name)
			}
		}
	}
	fired := h.run(asking, marking)
	said, listed := map[string][]hookRow{}, map[string]bool{}
	for _, r := range rows {
		name := r.name(h.t)
		if name == "" {
			continue // a file as a whole
		}
		listed[name] = true
		said[name] = append(said[name], r)
		if h.expected(r) && !slices.Contains(h.events, r.Event) && r.Type != "module" {
			h.t.Errorf("%s: the trial makes no event %q come, so nothing can be said of it", name, r.Event)
		}
	}
	for name := range fired {
		listed[name] = true
	}
	var wrong strings.Builder
	w := tabwriter.NewWriter(&wrong, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		runs, why := false, "not listed"
		for i, r := range said[name] {
			runs = runs || r.CanRun
			if i == 0 {
				why = ""
			}
			why += fmt.Sprintf("%s:%d %s %s; ", r.File, r.Line, r.Event, cmp.Or(r.Reason, "runs"))
		}
		if runs || !fired[name] || h.differs(name) { // a reason why a hook does not run must be certain; that one runs need not be
			h.t.Logf("%s: %v, %s", name, runs, why)
			continue
		}
		fmt.Fprintf(w, "%s\tpredicted %v\tran %v\t%s\n", name, runs, fired[name], why)
	}
	_ = w.Flush()
	if wrong.Len() > 0 {
		h.t.Errorf("%d hooks listed, predicted wrongly:\n%s", len(rows), wrong.String())
	}
}
