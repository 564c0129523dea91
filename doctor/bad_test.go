package doctor

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/internal/plainfile"
)

// secretValue has the shape of a value.
const secretValue = "eyJhbGciOiJFUzI1NiJ9.c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0.q7Vb0fJ3mW9xLp2Zt8KdYhR4nC6sGuEa"

// bad is what no file of configuration should hold. Each is put into every place that a check reads.
var bad = map[string]string{
	"empty":     "",
	"blank":     " \n\t",
	"binary":    "\x00\x01\x02\xff\xfe" + strings.Repeat("\x00", 100),
	"truncated": `{"hooks":{"PreToolUse":[{"matcher":"` + secretValue,
	"deep":      strings.Repeat("[", 100_001),
	"deep keys": strings.Repeat(`{"hooks":`, 99_999),
	"deepest":   "x = " + strings.Repeat("[", 1<<20),
	"deep TOML": "x = " + strings.Repeat("[", 99_999) + strings.Repeat("]", 99_999),
	"null":      `null`, "list": `[]`, "number": `42`, "text": `"` + secretValue + `"`,
	"wrong": `{"version":"` + secretValue + `","hooks":{"PreToolUse":"` + secretValue + `","preToolUse":7,"Stop":[null,[],{"hooks":[null]}]},"mcpServers":[],"mcp":"` + secretValue + `","projects":3,"env":7}`,
	"secrets": `{"version":1,"env":{"KEY":"` + secretValue + `"},"apiKeyHelper":7,"hooks":{"PreToolUse":[{"matcher":"","hooks":[` +
		`{"type":"command","command":"KEY=` + secretValue + ` rewrite --key ` + secretValue + `","timeout":"` + secretValue + `"}]}],"preToolUse":[{"command":"A='x y' KEY=\"` + secretValue + `\" rewrite ` + secretValue + `"}]},` +
		`"mcpServers":{"workflow-server":{"command":"node","args":["--token","` + secretValue + `"],"env":{"TOKEN":"` + secretValue + `"},"url":"https://x/?key=` + secretValue + `","headers":{"Authorization":"` + secretValue + `"}}},` +
		`"mcp":{"workflow-server":{"type":"local","command":["node","` + secretValue + `"],"environment":{"TOKEN":"` + secretValue + `"}}}}`,
	"a rival with secrets": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"KEY=` + secretValue + ` B=\"x y\" rewrite --key ` + secretValue + `"}]}]}}`,
	"secrets in TOML": "[mcp_servers.workflow-server]\ncommand = \"node\"\nenv = { TOKEN = \"" + secretValue + "\" }\nbearer_token_env_var = 7\n[[hooks.PreToolUse]]\n" +
		"[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"KEY=" + secretValue + " rewrite " + secretValue + "\"\n[hooks.state]\nx = \"" + secretValue + "\"\n",
	"bad TOML":    "key = " + secretValue + "\n",
	"bad TOML, 2": "key = \"" + secretValue + "\nother",
	"bad TOML, 3": secretValue + " = = 1\n",
	"escapes": `{"version":1,"\u001b]0;x\u0007":1,"description":7,"hooks":{"\u001b[2J":[],"PreToolUse":[{"matcher":"\u001b[2J(","hooks":[{"type":"\u001b[2J","command":"\u001b[2J\u202e x"}]}]},` +
		`"mcpServers":{"workflow-server":{"command":"\u001b[2J\nnode","cwd":"/\u001b[2J"}},"mcp":{"workflow-server":{"type":"local","command":["\u001b[2J"]}}}`,
	"raw escapes":        "{\"\x1b[2J\": \x1b]0;x\x07}",
	"rival with escapes": `{"version":1,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"\u001b[2J\u0000\u202ex"}]}],"preToolUse":[{"command":"\u001b[2J\u0000\u202ex"}]}}`,
	"surrogates":         `{"hooks":{"\ud800":[],"PreToolUse":[{"hooks":[{"type":"command","command":"\udc00"}]}]},"mcpServers":{"\ud800":{"command":"\udfff"}}}`,
}

// Whatever stands in a file that a check reads, the doctor ends soon, and shows no value and no control
// character.
func TestBadFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it examines some hundred homes")
	}
	for i, h := range newWorld(t, "").harnessList {
		t.Run(h.ID, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.goLive() // so that what it asks is asked of nothing bad
			w.live = nil
			w.must(os.Remove(w.bin)) // no process has to start
			w.harnessList = w.harnessList[i : i+1]
			paths := w.places()
			if len(paths) < 5 {
				t.Fatalf("only %v are read", paths)
			}
			for _, path := range paths {
				for name, content := range bad {
					w.withBad(path, name, []byte(content), nil)
				}
				w.withBad(path, "a folder", nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR})
				w.withBad(path, "not allowed", nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission})
				if path == w.path(".claude.json") || path == w.path(cursorHooks) { // they are read, and soon
					w.withBad(path, "large", []byte(`{"x":"`+strings.Repeat("x", plainfile.MaxConfig-100)+`"}`), nil)
				}
				w.withBad(path, "too large", nil, &fs.PathError{Op: "read", Path: path, Err: plainfile.TooLargeError{Size: 1 << 30, Most: plainfile.MaxConfig}})
			}
		})
	}
}

// places are all paths that an examination reads.
func (w *world) places() []string {
	w.t.Helper()
	var paths []string
	o := w.options()
	read := o.Env.ReadFile
	o.Env.ReadFile = func(path string) ([]byte, error) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
		return read(path)
	}
	if _, err := Run(w.t.Context(), o, ""); err != nil {
		w.t.Fatal(err)
	}
	return paths
}

func (w *world) withBad(path, name string, content []byte, err error) {
	w.t.Helper()
	o := w.options()
	o.Room = func(string) error { return nil } // asking the file system takes as long as the whole report
	read := o.Env.ReadFile
	o.Env.ReadFile = func(p string) ([]byte, error) {
		if p == path {
			return content, err
		}
		return read(p)
	}
	start := time.Now()
	r, e := Run(w.t.Context(), o, "")
	if e != nil {
		w.t.Errorf("%s: %s: %v", path, name, e)
	}
	if took := time.Since(start); took > 10*time.Second {
		// A machine that is busy, or watched by the race detector, is slower at everything, also at one look of the plainest parser.
		var v any
		looks := time.Now()
		_ = json.Unmarshal(content, &v) // most contents are not JSON
		if soon := 10*time.Second + 50*time.Since(looks); took > soon {
			w.t.Errorf("%s: %s takes %s, more than %s", path, name, took, soon)
		}
	}
	w.clean(r, path+": "+name)
}

// clean looks for values and for what moves a terminal in every form of a report.
func (w *world) clean(r report.Report, what string) {
	w.t.Helper()
	var all strings.Builder
	for _, err := range []error{
		prose.Style{Show: w.short, Verbose: true}.Text(&all, r), r.JSON(&all, w.short),
		r.Markdown(&all, report.Redaction{Home: w.home, Cwd: w.cwd, Sep: "/"}),
	} {
		if err != nil {
			w.t.Errorf("%s: %v", what, err)
		}
	}
	if at := strings.Index(all.String(), secretValue[:12]); at >= 0 {
		w.t.Errorf("%s: a value is shown: %.300s", what, all.String()[max(0, at-200):])
	}
	for _, c := range all.String() {
		if c != '\n' && !unicode.IsPrint(c) && c != '\u200b' { // that keeps markdown from calling people
			w.t.Errorf("%s: %q is shown", what, c)
			break
		}
	}
}

// The files of wsi's own are read by their own code.
func TestBadState(t *testing.T) {
	t.Parallel()
	const line = `{"t":"2026-11-21T00:00:00Z","verb":"capture","harness":"codex","did":"error","why":"x","us":1}` + "\n"
	for name, content := range map[string]string{
		"binary":     "\x00\xff\x00\n\x1b[2J\n",
		"one line":   strings.Repeat("x", 20<<20),
		"many lines": strings.Repeat(line, (4<<20)/len(line)),
		"escapes":    strings.Replace(line, `"x"`, `"\u001b[2J\u202e\nx"`, 1),
		"deep":       strings.Repeat("[", 1<<20) + "\n",
	} {
		if testing.Short() && len(content) > 1<<20 {
			continue
		}
		for _, file := range []string{"journal.jsonl", "journal.jsonl.1", "vault/ab/x.json"} {
			w := newWorld(t, "")
			w.write(".local/state/wsi/"+file, content)
			w.only = []string{"wsi", "hook.fired"}
			w.must(os.Remove(w.bin))
			start := time.Now()
			r, err := Run(t.Context(), w.options(), "")
			if took := time.Since(start); err != nil || took > 10*time.Second {
				t.Errorf("%s in %s: %v, %s", name, file, err, took)
			}
			w.clean(r, fmt.Sprintf("%s in %s", name, file))
		}
	}
}
