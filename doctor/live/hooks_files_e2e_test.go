//go:build e2e

package live

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"wsi/harnesses/claudecode"
	codexharness "wsi/harnesses/codex"
	"wsi/harnesses/opencode"
)

// tried are a tool of each harness that its model calls in a trial, next to one of the server, and the events that come then.
var tried = map[string]struct {
	own    Call
	first  bool // its own tool is called first
	events []string
}{
	claudecode.ID: {
		Call{Tool: "Bash", Args: `{"command":"true","description":"nothing"}`, Bare: true},
		true,
		[]string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop", "SessionEnd", "InstructionsLoaded"},
	},
	codexharness.ID: {
		Call{Tool: "exec_command", Args: `{"cmd":"true"}`, Bare: true},
		true,
		[]string{"SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse", "PostToolUse", "Stop", "SessionEnd", "agent-turn-complete"},
	},
	opencode.ID:  {events: []string{"tool.execute.before"}},
	"gemini-cli": {Call{Tool: "list_directory", Args: `{"dir_path":"."}`}, false, []string{"BeforeTool", "AfterTool", "SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent"}},
	"qwen-code":  {Call{Tool: "glob", Args: `{"pattern":"*"}`}, false, []string{"PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop"}},
	"copilot-cli": {
		Call{Tool: "glob", Args: `{"pattern":"*"}`},
		false,
		[]string{"preToolUse", "postToolUse", "sessionStart", "userPromptSubmitted", "PreToolUse", "UserPromptSubmit", "SessionStart"},
	},
	"cline-cli": {Call{Tool: "list_files", Args: `{"path":"."}`}, false, []string{"PreToolUse", "pretooluse", "PostToolUse", "TaskStart", "UserPromptSubmit"}},
}

// newHookTrial makes a home without hooks.
func newHookTrial(t *testing.T, s subject) *hookTrial {
	t.Helper()
	how := tried[s.id]
	script := Script{{{Tool: opening, Args: `{"workflow_id":"demo"}`}}}
	switch {
	case how.first:
		script = slices.Insert(script, 0, Turn{how.own})
	case how.own.Tool != "":
		script = append(script, Turn{how.own})
	}
	h := &hookTrial{t: t, version: s.version, rig: s.rig(t, Scenario{Scripts: Scripts{"main": script}}), events: how.events, asked: make(chan string, 1000)}
	h.marks = h.at("marks")
	if err := os.Mkdir(h.marks, 0o700); err != nil {
		t.Fatal(err)
	}
	ofServer := h.rig.Model.tool
	h.rig.Model.tool = func(name string) string { // before the harness runs
		if name == how.own.Tool {
			return name
		}
		return ofServer(name)
	}
	h.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked <- r.URL.Path
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}")) // a harness that is gone is noticed elsewhere
	}))
	t.Cleanup(h.web.Close)
	if s.id == codexharness.ID {
		h.args = []string{"--dangerously-bypass-approvals-and-sandbox"}
		replace(t, h.at("home/.codex/config.toml"), "plugins = false", "remote_plugin = false")
	}
	return h
}

// TestHooks compares what wsi says of the hooks in testdata/hooks/HARNESS with those that the harness's own program runs. A file
// has those of one home: home/..., work/..., and etc/..., which both see over /etc. "-- FILE before TEXT --" is put before the last such
// text of a file that is there. The lines before them are what else there is:
//
//	like NAME            all of another file
//	older NAME...        hooks with which Claude Code 2.1.197 does otherwise than predicted
//	env NAME=VALUE       for harness and wsi
//	approve              Codex's hooks: see the function of that name
//	link FILE TARGET     make a link
//	furnish FOLDER       have OpenCode not wait for this folder
//	install PLUGIN...    of the marketplace in the folder market, in Claude Code
//	git                  make the project a repository
//	in FOLDER            of the project, in which the harness runs
//	once NAME            a hook that may run only once
//	ask                  have wsi ask the harness itself
func TestHooks(t *testing.T) {
	for _, s := range subjects() {
		files, err := filepath.Glob(filepath.Join("testdata", "hooks", s.id, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(s.id+"-"+s.version+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				h := newHookTrial(t, s)
				h.lay(file)
				h.compare()
				for _, name := range h.once {
					if content, err := os.ReadFile(filepath.Join(h.marks, name)); err != nil || len(content) != 1 {
						t.Errorf("%s ran %d times, %v", name, len(content), err)
					}
				}
			})
		}
	}
}

// lay makes what a file describes.
func (h *hookTrial) lay(file string) {
	h.t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "like":
			h.lay(filepath.Join(filepath.Dir(file), words[1]+".txtar"))
		default:
			lines = append(lines, words)
		}
	}
	for _, f := range archive.Files {
		name, before, insert := strings.Cut(f.Name, " before ")
		if content := string(f.Data); insert {
			h.insert(name, before, content)
		} else {
			h.write(name, content)
		}
	}
	for _, words := range lines {
		switch verb, words := words[0], words[1:]; verb {
		case "older":
			if h.old() {
				h.otherwise = words
			}
		case "env":
			h.env = append(h.env, h.filled(words[0]))
		case "approve":
			h.approve()
		case "link":
			err = os.Symlink(words[1], h.at(words[0]))
		case "furnish":
			err = h.rig.furnish("../" + words[0] + "/")
		case "install":
			h.install(words...)
		case "git":
			git(h.t, h.rig.Work, "init", "-q")
		case "in":
			h.rig.Work = filepath.Join(h.rig.Work, filepath.FromSlash(words[0]))
		case "ask":
			h.ask()
		case "once":
			h.once = append(h.once, words...)
		default:
			h.t.Fatalf("%s: no %q", file, verb)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// old reports whether this is the oldest Claude Code that is tried.
func (h *hookTrial) old() bool { return h.version == "2.1.197" }

// at returns the path of a file of the trial.
func (h *hookTrial) at(name string) string {
	return filepath.Join(filepath.Dir(h.rig.Home), filepath.FromSlash(name))
}

// In a file @fired-NAME@ is a command that leaves a mark, and @module fired-NAME@ a module of a plugin that leaves one when Bash is
// called: it puts a command before that of the call.
var (
	touches = regexp.MustCompile(`@(fired-[a-z0-9-]+)@`)
	modules = regexp.MustCompile(`@module (fired-[a-z0-9-]+)@`)
)

const module = `export function register(on) {
  on("tool.call", async ($$, e, next) => next(e.command ? { ...e, command: "touch @MARKS@/$1; " + e.command } : e))
}`

// write writes a file of the trial, and makes a program of a script. In it @MARKS@, @HOME@, @WORK@ and @DIR@, which has all of
// them, are folders, and @WEB@ is the address for hooks of type http.
func (h *hookTrial) write(name, content string) {
	h.t.Helper()
	mode := os.FileMode(0o600)
	if strings.HasPrefix(content, "#!") {
		mode = 0o700
	}
	if strings.HasPrefix(name, "etc/") {
		h.over = h.at("etc")
	}
	err := os.MkdirAll(filepath.Dir(h.at(name)), 0o700)
	if err == nil {
		err = os.WriteFile(h.at(name), []byte(h.filled(content)), mode)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// insert puts a text before the last place where another one is in a file.
func (h *hookTrial) insert(name, before, text string) {
	h.t.Helper()
	content, err := os.ReadFile(h.at(name))
	at := bytes.LastIndex(content, []byte(before))
	if err != nil || at < 0 {
		h.t.Fatalf("%s has no %s: %v", name, before, err)
	}
	h.write(name, string(content[:at])+text+string(content[at:]))
}

// replace replaces a text in a file by another one.
func replace(t *testing.T, path, old, with string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(content, []byte(old)) {
		t.Fatalf("%s has no %s", path, old)
	}
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(content, []byte(old), []byte(with), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (h *hookTrial) filled(content string) string {
	content = touches.ReplaceAllString(modules.ReplaceAllString(content, module), "touch "+h.marks+"/$1")
	return strings.NewReplacer("@MARKS@", h.marks, "@HOME@", h.rig.Home, "@WORK@", h.rig.Work, "@DIR@", h.at("."), "@WEB@", h.web.URL).Replace(content)
}

// git runs git in a folder.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
