package relay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/internal/refserver/stdio"
	"wsi/internal/testkit/fakeserver"
)

func init() {
	roles["as-index-server"] = func(args []string) {
		s, err := fakeserver.Open(args[0], "workflow-server-index", time.Now)
		must(err)
		must(stdio.Serve(s, os.Stdin, os.Stdout))
	}
}

// indexWorld is a world with the workflow-server since 2026-05-18.
func indexWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.opt.Command = []string{self(t), "as-index-server", filepath.Join(w.dir, "server")}
	return w
}

// index returns the index that an answer shows in _meta, "" if it is an error.
func index(answer string) string {
	if strings.Contains(answer, `"isError":true`) {
		return ""
	}
	var a struct {
		Result struct {
			Meta struct {
				Index string `json:"session_index"`
			} `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(answer), &a) != nil {
		return ""
	}
	return a.Result.Meta.Index
}

// Sessions that began elsewhere: a child of a pasted parent, a typed index, a new conversation.
func TestIndexOfElsewhere(t *testing.T) {
	w := indexWorld(t)
	w.opt.Harness = "codex" // it says who calls
	meta := func(session string) string { return `"sessionId":"` + session + `","threadId":"` + session + `"` }
	c := w.connect()
	other := index(c.do("start_session", ``, meta("before")))
	if got := index(c.do("dispatch_child", `"session_index":"`+other+`","workflow_id":"w"`, meta("one"))); got == "" || got == other {
		t.Fatalf("no child: %q", got)
	}
	said := c.do("next_activity", `"activity_id":"a"`, meta("one"))
	if index(said) != "" || !strings.Contains(said, "pass the session_index of the session you mean") {
		t.Errorf("after a child of %s: %s", other, said)
	}
	c.do("next_activity", `"activity_id":"a","session_index":"`+other+`"`, meta("one"))
	if got := index(c.do("get_activity", ``, meta("one"))); got != other {
		t.Errorf("after a call that passed the parent: %q", got)
	}
	own := index(c.do("start_session", ``, meta("one")))
	c.do("get_workflow_status", `"session_index":"`+other+`"`, meta("one"))
	if got := index(c.do("next_activity", `"activity_id":"a"`, meta("one"))); got != "" {
		t.Errorf("after a look at %s: %q", other, got)
	}
	for range 2 {
		c.do("get_workflow_status", `"session_index":"`+own+`"`, meta("one"))
	}
	if got := index(c.do("next_activity", `"activity_id":"a"`, meta("one"))); got != own {
		t.Errorf("after two calls about its own: %q", got)
	}
	c.do("inspect_session", `"session_index":"`+own+`"`, meta("two"))
	if got := index(c.do("next_activity", `"activity_id":"a"`, meta("two"))); got != own {
		t.Errorf("in a new conversation: %q", got)
	}
	for _, placeholder := range []string{`"auto"`, `"<session_index>"`, `""`, `null`} {
		if got := index(c.do("get_activity", `"session_index":`+placeholder, meta("two"))); got != own {
			t.Errorf("%s: %q", placeholder, got)
		}
	}
}

// The list of tools says which tools take the value, also to a relay that is started again and not asked for it.
func TestToolThatNoRuleNames(t *testing.T) {
	w := indexWorld(t)
	w.opt.Harness = "codex" // it says who calls
	const meta = `"sessionId":"s","threadId":"s"`
	c := w.connect()
	own := index(c.do("start_session", ``, meta))
	if got := index(c.do("get_new_thing", ``, meta)); got != "" {
		t.Errorf("before the list: %q", got)
	}
	list := c.answer(c.request("tools/list", `{}`))
	var a struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(list), &a); err != nil {
		t.Fatal(err)
	}
	relaxed := map[string]bool{}
	for _, tool := range a.Result.Tools {
		relaxed[tool.Name] = strings.Contains(string(tool.InputSchema), "Filled in automatically")
		if relaxed[tool.Name] && strings.Contains(string(tool.InputSchema), `"required":["session_index"`) {
			t.Errorf("%s: %s", tool.Name, tool.InputSchema)
		}
	}
	for tool, want := range map[string]bool{"get_new_thing": true, "get_activity": true, "peek": false, "dispatch_child": false} {
		if relaxed[tool] != want {
			t.Errorf("%s: the schema is relaxed: %t", tool, !want)
		}
	}
	check := func(when string) {
		t.Helper()
		if got := index(c.do("get_new_thing", `"x":1`, meta)); got != own {
			t.Errorf("%s: %q", when, got)
		}
		if got := c.do("peek", ``, meta); !strings.Contains(got, "sessions") {
			t.Errorf("%s, an argument that may be left out: %s", when, got)
		}
		if got := index(c.do("delete_session", ``, meta)); got != "" {
			t.Errorf("%s, a tool that destroys: %q", when, got)
		}
	}
	check("after the list")
	c.close()
	c = w.connect()
	check("after a restart")
	other := index(c.do("start_session", ``, `"sessionId":"t","threadId":"t"`))
	c.do("peek", `"session_index":"`+other+`"`, meta)
	if got := index(c.do("get_new_thing", ``, meta)); got != "" {
		t.Errorf("after a look at another session: %q", got)
	}
}
