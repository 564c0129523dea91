package remote

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A client over HTTP must leave out tools with an invalid x-mcp-header (2026-07-28). The program behind the relay is none, so
// the relay does it. The cases are those of the conformance suite's http-invalid-tool-headers and of the TypeScript SDK 2.4.0.
func TestInvalidParamHeaders(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"value":` + schema + `}}` }
	invalid := []string{
		property(`{"type":"string","x-mcp-header":""}`),
		property(`{"type":"string","x-mcp-header":7}`),
		property(`{"type":"string","x-mcp-header":null}`),
		property(`{"type":"object","x-mcp-header":"Data"}`),
		property(`{"type":"array","items":{"type":"string"},"x-mcp-header":"Items"}`),
		property(`{"type":"null","x-mcp-header":"Nil"}`),
		property(`{"type":"number","x-mcp-header":"Score"}`),
		property(`{"type":["string","null"],"x-mcp-header":"Either"}`),
		property(`{"x-mcp-header":"Untyped"}`),
		property(`{"type":"string","x-mcp-header":"My Region"}`),
		property(`{"type":"string","x-mcp-header":"Region:Primary"}`),
		property(`{"type":"string","x-mcp-header":"Région"}`),
		property(`{"type":"string","x-mcp-header":"Region\t1"}`),
		property(`{"type":"array","items":{"type":"string","x-mcp-header":"Item"}}`),
		property(`{"oneOf":[{"type":"string","x-mcp-header":"Choice"},{"type":"integer"}]}`),
		property(`{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"Any"}}`),
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"Region"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"myfield"}}}}}`,
		`{"type":"object","x-mcp-header":"Root"}`,
		`{"type":"object","$defs":{"region":{"type":"string","x-mcp-header":"Region"}},"properties":{"region":{"$ref":"#/$defs/region"}}}`,
		strings.Repeat(`{"type":"object","properties":{"deep":`, 20) + `{"type":"string","x-mcp-header":"Deep"}` + strings.Repeat(`}}`, 20),
	}
	valid := []string{
		property(`{"type":"string","x-mcp-header":"Region"}`),
		`{"type":"object","properties":{"x-mcp-header":{"type":"string"},"items":{"type":"string"}}}`,
		`{}`, `true`,
	}
	tool := func(name, schema string) string { return fmt.Sprintf(`{"name":%q, "inputSchema":%s}`, name, schema) }
	all, kept := []string{}, []string{}
	for i, schema := range invalid {
		all = append(all, tool(fmt.Sprint("bad", i), schema))
	}
	for i, schema := range valid {
		all, kept = append(all, tool(fmt.Sprint("good", i), schema)), append(kept, tool(fmt.Sprint("good", i), schema))
	}
	list := func(tools []string) string {
		return `{"ttlMs":0,"tools":[` + strings.Join(tools, ",") + `],"more":"\u0041"}`
	}
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, list(all)) })
	var warned []string
	f.server.Warn = func(text string) { warned = append(warned, text) }

	const of2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	f.send(`{"id":1,"method":"tools/list","params":{` + of2026 + `}}`)
	if got, want := f.next(), `{"jsonrpc":"2.0","id":1,"result":`+list(kept)+"}\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if len(warned) != len(invalid) || !strings.HasPrefix(warned[0], `the tool "bad0" is left out: `) {
		t.Errorf("%d warnings for %d tools: %q", len(warned), len(invalid), warned)
	}

	f.send(`{"id":1,"method":"tools/list","params":{}}`) // of an older revision, which has no such headers
	if got, want := f.next(), `{"jsonrpc":"2.0","id":1,"result":`+list(all)+"}\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
