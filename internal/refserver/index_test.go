package refserver

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func (a answered) index() string { s, _ := a.Meta["session_index"].(string); return s }

func (a answered) trace() string { s, _ := a.Meta["trace_token"].(string); return s }

// walk is a session of a server with an index.
type walk struct {
	t     *testing.T
	s     *Server
	index string
}

func begin(t *testing.T, s *Server, args string) walk {
	t.Helper()
	return walk{t, s, call(t, s, "start_session", args).index()}
}

// call makes a call of the session. more are members of the arguments.
func (w walk) call(tool, more string) answered {
	w.t.Helper()
	return call(w.t, w.s, tool, strings.TrimSuffix(`{"session_index":"`+w.index+`",`+more, ",")+"}")
}

// next goes on to an activity. Without a manifest the server warns.
func (w walk) next(activity string) answered {
	w.t.Helper()
	return w.call("next_activity", `"activity_id":"`+activity+`"`)
}

func list(values ...string) string { return string(must(json.Marshal(values))) }

func TestIndexVerdicts(t *testing.T) {
	s := Open(t.TempDir(), Options{Index: true})
	main := begin(t, s, `{"agent_id":"main"}`)
	other := begin(t, s, `{"agent_id":"other","label":"l"}`)
	if !regexp.MustCompile(`^[A-Z2-7]{6}$`).MatchString(main.index) || main.index == other.index {
		t.Fatal(main.index, other.index)
	}
	child := walk{t, s, main.call("dispatch_child", `"workflow_id":"w","agent_id":"helper"`).index()}
	if child.index == main.index || last(t, s).AID != "main" {
		t.Errorf("%s %+v", child.index, last(t, s))
	}
	for _, c := range []struct {
		tool, args string
		verdict    Verdict
		failed     bool
		chain      int
	}{
		{"get_workflow_status", `{"session_index":"` + main.index + `"}`, Right, false, 1},
		{"get_workflow_status", `{"session_index":"` + main.index + `","session_token":"x","more":1}`, Right, false, 1},
		{"get_workflow_status", `{"session_index":"` + other.index + `"}`, Right, false, 2},
		{"get_workflow_status", `{"session_index":"` + child.index + `"}`, Right, false, 3},
		{"get_workflow_status", `{"session_index":"` + strings.ToLower(main.index) + `"}`, Unknown, true, 0},
		{"get_workflow_status", `{"session_index":"AAAAA1"}`, Unknown, true, 0},
		{"get_workflow_status", `{"session_index":null}`, Unknown, true, 0},
		{"get_workflow_status", `{"session_index":""}`, Unknown, true, 0},
		{"get_workflow_status", `{}`, Missing, true, 0},
		{"get_workflow_status", ``, Missing, true, 0},
		{"get_workflow", `{}`, Missing, true, 0},
		{"next_activity", `{"session_index":"` + main.index + `"}`, Right, true, 1},
		{"next_activity", `{"session_index":"` + main.index + `","activity_id":"nowhere"}`, Right, true, 1},
		{"get_activity", `{"session_index":"` + main.index + `"}`, Right, true, 1},
		{"get_activity", `{"session_index":"` + main.index + `","context_tokens":1}`, Right, true, 1}, // no activity yet
		{"get_trace", `{"session_index":"` + main.index + `","trace_tokens":null}`, Right, true, 1},
		{"get_trace", `{"session_index":"` + main.index + `","trace_tokens":"x"}`, Right, true, 1},
		{"get_trace", `{"session_index":"` + main.index + `","trace_tokens":[1]}`, Right, true, 1},
		{"get_trace", `{"session_index":"` + main.index + `","traces":1}`, Right, false, 1},
		{"health_check", `{"session_index":"stray"}`, NotNeeded, false, 0},
		{"start_session", `{"session_index":"` + main.index + `"}`, NotNeeded, true, 0},
		{"start_session", `{"session_token":"x"}`, NotNeeded, true, 0},
		{"start_session", `{"planning_folder":"/p"}`, NotNeeded, false, 4},
		{"dispatch_child", `{"workflow_id":"w"}`, Missing, true, 0},
		{"dispatch_child", `{"session_index":"` + main.index + `"}`, Right, true, 1},
		{"dispatch_child", `{"session_index":"` + main.index + `","workflow_id":"w","trace_tokens":[]}`, Right, true, 1},
	} {
		a := call(t, s, c.tool, c.args)
		if got := last(t, s); got.Verdict != c.verdict || got.Error != c.failed || a.IsError != c.failed || got.Chain != c.chain {
			t.Errorf("%s %s: %+v", c.tool, c.args, got)
		}
		if a.IsError && a.Meta != nil {
			t.Errorf("%s %s: a refusal has _meta", c.tool, c.args)
		}
	}
	if call := last(t, s); call.SID != main.index || call.AID != "main" {
		t.Errorf("%+v", call)
	}
	if _, err := s.Call("get_skill", nil); err == nil {
		t.Error("it has a tool of another server")
	}
}

// A script decides which warnings come. The notice of each is in _meta and the ledger, and nowhere else.
func TestWarnings(t *testing.T) {
	s := Open(t.TempDir(), Options{Index: true})
	w := begin(t, s, `{}`)
	var notices []string
	for i, step := range []struct {
		to, more string
		warnings int
	}{
		{"design", ``, 0},
		{"build", `,"step_manifest":[{"step_id":"design-step","output":"done"}]`, 0},
		{"review", ``, 1},
		{"build", ``, 2}, // build does not follow review
		{"review", ``, 1},
		{"review", `,"step_manifest":[]`, 1},
	} {
		a := w.call("next_activity", `"activity_id":"`+step.to+`"`+step.more)
		validation, _ := a.Meta["validation"].(map[string]any)
		status, warnings := validation["status"], validation["warnings"].([]any)
		call := last(t, s)
		if a.IsError || len(warnings) != step.warnings || len(call.Notices) != step.warnings || (status == "valid") != (step.warnings == 0) {
			t.Errorf("%d: %v %q %+v", i, status, warnings, call)
		}
		for j, warning := range warnings {
			if !strings.Contains(fmt.Sprint(warning), call.Notices[j]) || strings.Contains(fmt.Sprint(a.Content), call.Notices[j]) {
				t.Errorf("%d: %s, notice %s", i, warning, call.Notices[j])
			}
		}
		notices = append(notices, call.Notices...)
	}
	if notices[0] != notices[3] { // the steps of build
		t.Error("the same warning has another notice")
	}
	slices.Sort(notices)
	if notices = slices.Compact(notices); len(notices) != 4 {
		t.Errorf("other warnings have the same notice: %q", notices)
	}
	other := begin(t, s, `{}`)
	for _, activity := range activities {
		other.next(activity)
	}
	if got := last(t, s).Notices; len(got) != 1 || slices.Contains(notices, got[0]) {
		t.Errorf("another session's warning has the same notice: %q", got)
	}
	if status := fmt.Sprint(w.call("get_workflow_status", ``).Content); len(regexp.MustCompile(`"(design|build|review)"`).FindAllString(status, -1)) != 4 {
		t.Error("a current activity and three others are wanted:", status)
	}
	trace := fmt.Sprint(w.call("get_trace", ``).Content)
	if !strings.Contains(trace, "does not follow") || slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(trace, n) }) {
		t.Error("the trace contains a notice, or no warning")
	}
}

// events returns where get_trace has its events from, their tools and agents, and how many tokens were wrong.
func (w walk) events(more string) (source, events string, wrong int) {
	w.t.Helper()
	a := w.call("get_trace", more)
	text, _ := a.Content[0]["text"].(string)
	var r struct {
		Source string
		Count  int `json:"event_count"`
		Events []struct{ Name, S, Aid, TraceID string }
		Wrong  []string `json:"token_errors"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Count != len(r.Events) {
		w.t.Fatal(err, text)
	}
	var names []string
	for _, e := range r.Events {
		name := map[string]string{"ok": e.Name, "error": e.Name + "!"}[e.S]
		if e.TraceID != w.index {
			name = "foreign"
		}
		names = append(names, name)
	}
	return r.Source, strings.Join(names, " "), len(r.Wrong)
}

// The trace survives a restart only in the tokens. Each has what happened since the one before it, apart from the call
// that returns it.
func TestTrace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	w := begin(t, Open(dir, Options{Index: true}), `{"agent_id":"main"}`)
	other := begin(t, w.s, `{}`)
	foreign := other.next("design").trace()
	w.call("get_workflow", ``)
	w.call("get_activity", `"context_tokens":1,"agent_id":"worker"`) // refused
	w.call("get_activity", ``)                                       // not even that
	w.call("get_workflow_status", ``)
	own := []string{w.next("design").trace()}
	child := walk{t, w.s, w.call("dispatch_child", `"workflow_id":"w"`).index()}
	own = append(own, w.next("build").trace())
	if child.next("design").trace() != "" {
		t.Error("a token without an event")
	}
	const before, next = "start_session get_workflow get_activity! next_activity dispatch_child", " next_activity"
	check := func(more, source, events string, wrong int, want *Traced) {
		t.Helper()
		gotSource, gotEvents, gotWrong := w.events(more)
		if gotSource != source || gotEvents != events || gotWrong != wrong {
			t.Errorf("%s: %s, %d wrong", gotSource, gotEvents, gotWrong)
		}
		if got := last(t, w.s).Trace; got == nil || *got != *want {
			t.Errorf("%+v; want %+v", got, want)
		}
	}
	none := &Traced{Missing: 2}
	check(``, "memory", before+next, 0, none)
	check(`"agent_id":"worker"`, "memory", "get_activity!", 0, none)

	w.s = Open(dir, Options{Index: true}) // a restart
	check(``, "memory", "", 0, none)
	check(`"trace_tokens":[]`, "memory", "", 0, none)
	check(`"trace_tokens":`+list(own...), "tokens", before, 0, &Traced{Tokens: 2, Own: 2, All: true})
	check(`"agent_id":"worker","trace_tokens":`+list(own...), "tokens", "get_activity!", 0, &Traced{Tokens: 2, Own: 2, All: true})
	if w.next("review").trace() != "" {
		t.Error("a token without an event")
	}
	own = append(own, w.next("design").trace())
	check(``, "memory", "next_activity"+next, 0, &Traced{Missing: 3})
	check(`"trace_tokens":`+list(own...), "tokens", before+next, 0, &Traced{Tokens: 3, Own: 3, All: true})
	check(`"trace_tokens":`+list(own[2], own[0], own[1]), "tokens", "next_activity "+before, 0, &Traced{Tokens: 3, Own: 3})
	check(`"trace_tokens":`+list(own[0], own[1], own[2], own[2]), "tokens", before+next+next, 0, &Traced{Tokens: 4, Own: 4})
	check(`"trace_tokens":`+list(own[2]), "tokens", "next_activity", 0, &Traced{Tokens: 1, Own: 1, Missing: 2})
	bad := []string{"", "auto", own[0][1:], own[0] + " ", Seal([]byte("another key"), Payload{})}
	check(`"trace_tokens":`+list(append(bad, own...)...), "tokens", before+next, 5, &Traced{Tokens: 8, Own: 3, Unknown: 5, All: true})
	check(`"trace_tokens":`+list(append(own, foreign)...), "tokens", before+next+" foreign", 0, &Traced{Tokens: 4, Own: 3, Foreign: 1, All: true})

	wantNoToken(t, dir, 4)
}
