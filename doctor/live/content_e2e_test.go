//go:build e2e

package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

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
				bodies := r.Model.bodies()
				var seen []string
				var o Outcome
				for _, f := range forms {
					texts, structures := wanted(f.result)
					text, structured := countIn(bodies, "text-"+f.name), countIn(bodies, "structured-"+f.name)
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

// countIn returns how often a text is in the request that has it most often.
func countIn(bodies [][]byte, text string) (most int) {
	for _, body := range bodies {
		most = max(most, bytes.Count(body, []byte(text)))
	}
	return most
}
