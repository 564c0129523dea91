//go:build e2e

package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
)

// metaScripts are two conversations with the workflow-server of today, and what goes on with the first in other processes
// of harness and server. The model passes no trace token, and a session_index only if it is given one. With agents, a
// sub-agent does an activity of the first.
func metaScripts(index string, agents bool) Scripts {
	step := func(tool, members string) Turn {
		if index != "" {
			members = strings.TrimSuffix(`"session_index":"`+index+`",`+members, ",")
		}
		return Turn{{Tool: tool, Args: "{" + members + "}", Bare: true}}
	}
	begin := Turn{{Tool: opening, Args: `{"workflow_id":"demo","agent_id":"main"}`, Bare: true}}
	next := func(activity, more string) Turn { return step("next_activity", `"activity_id":"`+activity+`"`+more) }
	all := Scripts{
		"other": {begin, next("design", ""), next("build", ""), next("build", ""), next("build", "")}, // the last two warn of the same
		"first": {
			begin, next("design", `,"agent_id":"main","context_tokens":1000`), step("get_activity", `"context_tokens":1000`),
			next("build", ""), next("review", ""), // one after the other: of two at once, either result may come first
		},
		"second": {
			next("build", ""), next("review", `,"step_manifest":[]`), step("get_trace", ""), step("get_trace", `"trace_tokens":[]`), step("get_workflow_status", ""),
		},
	}
	if agents {
		all["first"] = append(all["first"], Turn{{Sub: "helper"}})
		all["helper"] = Script{next("review", ""), step("get_activity", `"context_tokens":1000`)}
	}
	return all
}

// TestMeta: what the workflow-server of today says in _meta reaches the model, once and in time, and all trace tokens of
// the session reach get_trace, although harness and server were started again.
func TestMeta(t *testing.T) {
	for _, h := range installed {
		for _, way := range setup.Modes {
			t.Run(h.String()+", "+string(way), func(t *testing.T) {
				t.Parallel()
				// The transcript of a sub-agent of Claude Code 2.1.197 has no _meta.
				agents := h.version != "2.1.197" || way != setup.ByHooks
				h.provesMeta(t, way, agents, true)
			})
		}
	}
	for _, h := range relayFirst {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			h.provesMeta(t, setup.ByRelay, false, h.driver.(relayFirstHarness).resumes)
		})
	}
}

// batchOfNext matches the batch of next_activity in a request. That of get_activity, which the server also writes into its
// text, has the activity itself.
var batchOfNext = regexp.MustCompile(`activities[\\"]+: ?0\b`)

func (s subject) provesMeta(t *testing.T, way setup.Mode, agents, resumes bool) {
	t.Helper()
	start := time.Now()
	r := s.rig(t, Scenario{Scripts: metaScripts("", agents), Flags: []string{"-index"}}).wired(t, way)
	// Claude Code writes a result's _meta to the transcript every 100 ms: the model takes as long for an answer as a fast one does.
	byTranscript := r.id == "claude-code" && r.Way == setup.ByHooks
	if byTranscript {
		onStage(r).pause = 300 * time.Millisecond
	}
	calls := func() []refserver.Call {
		t.Helper()
		all, err := r.Calls()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if clients.Capabilities(r.id).ShowsMeta { // and so it repeats a warning
		r.Model.scripts["other"] = r.Model.scripts["other"][:4]
	}
	r.prompt(t, "other", "")
	session := r.prompt(t, "first", "")
	if all := calls(); !resumes && len(all) > 0 { // nothing tells the relay that a conversation goes on: the model has to
		session, r.Model.scripts["second"] = "", metaScripts(all[len(all)-1].SID, false)["second"]
	}
	r.prompt(t, "second", session)

	ledger := calls()
	var o Outcome
	var turns []int // how many turns of the same run follow a call
	for _, name := range []string{"other", "first", "helper", "second"} {
		for i, turn := range r.Model.scripts[name] {
			for _, call := range turn {
				if call.Sub == "" {
					turns = append(turns, len(r.Model.scripts[name])-i)
				}
			}
		}
	}
	o.Calls, o.Expected = len(ledger), len(turns)
	bodies := r.Model.bodies()
	warnings, tokens := 0, 0
	late := 0 // how many requests later the model may read a warning: its result is often in the transcript only after a batch's hook
	if byTranscript {
		late = 1
	}
	wrong := func(format string, args ...any) { o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...)) }
	for i, c := range ledger[:min(len(ledger), len(turns))] {
		if c.Verdict != refserver.NotNeeded {
			o.Needed++
			if c.Verdict == refserver.Right && !c.Error {
				o.Right++
			}
		}
		for _, notice := range c.Notices {
			warnings++
			read := slices.DeleteFunc(slices.Clone(bodies), func(body []byte) bool { return !bytes.Contains(body, []byte(notice)) })
			if least := max(1, turns[i]-late); len(read) < least {
				wrong("a warning of call %d, %s, is in %d requests instead of %d", i+1, c.Tool, len(read), least)
			}
			for _, body := range read {
				if n := bytes.Count(body, []byte(notice)); n != 1 {
					wrong("a warning of call %d, %s, is in a request %d times", i+1, c.Tool, n)
					break
				}
			}
		}
		if c.Tool == "get_trace" {
			if c.Trace == nil || !c.Trace.All || c.Trace.Own < 3 || c.Trace.Tokens != c.Trace.Own {
				wrong("call %d, get_trace, got %+v", i+1, c.Trace)
				continue
			}
			tokens = c.Trace.Own
		}
	}
	if warnings < 4 {
		wrong("the server warned %d times", warnings)
	}
	if !slices.ContainsFunc(bodies, batchOfNext.Match) {
		wrong("the model does not read batch")
	}
	if r.Way == setup.ByHooks && bytes.Contains(bytes.Join(bodies, nil), []byte("wsi: ")) {
		wrong("the model is told of something that is missing")
	}
	kept, err := r.Kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		wrong("there is a token in %s", file)
	}
	if o.Leaks, err = r.Leaks(); err != nil {
		t.Fatal(err)
	}
	s.record(way, fmt.Sprintf("_meta: %d warnings read, %d trace tokens back", warnings, tokens), o, start)
	if !o.OK() {
		t.Errorf("%s", o)
	}
}

// forms are the kinds of results that a server makes. In each, the text says TEXT, and the structured part STRUCT, followed by
// the name of the form.
var forms = []struct{ name, result, schema string }{
	{"text", `{"content":[TEXT]}`, ""},
	{"both", `{"content":[TEXT],"structuredContent":STRUCT}`, ""},
	{"described", `{"content":[TEXT],"structuredContent":STRUCT}`, describes},
	{"strict", `{"content":[TEXT],"structuredContent":STRUCT}`, strict},
	{"repeated", `{"content":[SAME],"structuredContent":STRUCT}`, ""},
	{"indented", `{"content":[WIDE],"structuredContent":STRUCT}`, ""}, // as servers of the TypeScript SDK write it
	{"structured", `{"content":[],"structuredContent":STRUCT}`, ""},
	{"failed", `{"content":[TEXT],"structuredContent":STRUCT,"isError":true}`, ""},
	{"refused", `{"content":[TEXT],"structuredContent":STRUCT,"isError":true}`, describes},
}

const (
	describes = `,"outputSchema":{"type":"object","properties":{"says":{"type":"string"}},"required":["says"]}`
	strict    = `,"outputSchema":{"type":"object","properties":{"says":{"type":"string"}},"required":["says"],"additionalProperties":false}`
)

// serveForms is an MCP server with a tool for each form. It writes who asks it into a file.
func serveForms(dir string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name            string
				ProtocolVersion string
				ClientInfo      struct{ Name, Version string }
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := "{}"
		switch m.Method {
		case "initialize":
			who := m.Params.ClientInfo
			_ = os.WriteFile(filepath.Join(dir, "client"), []byte(who.Name+" "+who.Version), 0o600) // the test fails without it
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"forms","version":"1"}}`, m.Params.ProtocolVersion)
		case "tools/list":
			var tools []string
			for _, f := range forms {
				tools = append(tools, fmt.Sprintf(`{"name":"form_%s","description":"a form","inputSchema":{"type":"object","properties":{}}%s}`, f.name, f.schema))
			}
			result = `{"tools":[` + strings.Join(tools, ",") + `]}`
		case "tools/call":
			for _, f := range forms {
				if m.Params.Name == "form_"+f.name {
					structured := fmt.Sprintf(`{"says":"structured-%s"}`, f.name)
					result = strings.NewReplacer("TEXT", fmt.Sprintf(`{"type":"text","text":"text-%s"}`, f.name), "STRUCT", structured,
						"SAME", fmt.Sprintf(`{"type":"text","text":%q}`, structured),
						"WIDE", fmt.Sprintf(`{"type":"text","text":%q}`, "{\n  \"says\": \"structured-"+f.name+"\"\n}")).Replace(f.result)
				}
			}
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// TestContent prints which parts of a result the model of each harness reads, without wsi and with the relay, and demands that
// with the relay it reads each part once.
func TestContent(t *testing.T) {
	var script Script
	for _, f := range forms {
		script = append(script, Turn{{Tool: "form_" + f.name, Args: "{}", Bare: true}})
	}
	for _, of := range subjects() {
		for _, way := range []setup.Mode{"", setup.ByRelay} {
			t.Run(fmt.Sprintf("%s-%s/%s", of.id, of.version, way), func(t *testing.T) {
				t.Parallel()
				start := time.Now()
				program := filepath.Join(t.TempDir(), "server")
				line := fmt.Sprintf("#!/bin/sh\nWSI_TEST_FORMS=$2 exec %q\n", os.Args[0])
				if err := os.WriteFile(program, []byte(line), 0o700); err != nil {
					t.Fatal(err)
				}
				r := of.rigWith(t, Scenario{Scripts: Scripts{"first": script}}, program)
				if way != "" {
					r.wired(t, way)
				}
				r.prompt(t, "first", "")
				client, err := os.ReadFile(filepath.Join(r.Server, "client"))
				if err != nil {
					t.Fatal(err)
				}
				var seen []string
				var o Outcome
				for _, f := range forms {
					texts, structures := wanted(f.result)
					text, structured := r.Model.most("text-"+f.name), r.Model.most("structured-"+f.name)
					seen = append(seen, fmt.Sprintf("%s %d %d", f.name, text, structured))
					o.Calls, o.Expected, o.Needed = o.Calls+1, o.Expected+1, o.Needed+1
					if of.id == "qwen-code" && strings.Contains(f.result, "isError") {
						texts++ // it shows the text of an error twice, also without wsi
					}
					if text == texts && structured == structures {
						o.Right++
					} else if way != "" {
						o.Wrong = append(o.Wrong, fmt.Sprintf("of %s the model reads %d texts and %d structured parts", f.name, text, structured))
					}
				}
				of.record(way, "whole results", o, start)
				t.Logf("%s: %s", client, strings.Join(seen, "; "))
				if way != "" && !o.OK() {
					t.Errorf("%s", o)
				}
			})
		}
	}
}

func wanted(result string) (text, structured int) {
	return strings.Count(result, "[TEXT]"), strings.Count(result, "STRUCT")
}
