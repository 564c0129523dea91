//go:build e2e

package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { roles["as-conformance-client"] = playScenario }

// scenarios are what a client does in the suite's scenarios when it has listed the tools.
var scenarios = map[string]func(context.Context, *mcp.ClientSession, []*mcp.Tool){
	"initialize":                          func(context.Context, *mcp.ClientSession, []*mcp.Tool) {},
	"request-metadata":                    func(context.Context, *mcp.ClientSession, []*mcp.Tool) {},
	"json-schema-ref-no-deref":            func(context.Context, *mcp.ClientSession, []*mcp.Tool) {},
	"tools_call":                          calling(`{"a":5,"b":3}`, "add_numbers"),
	"elicitation-sep1034-client-defaults": calling(`{}`, "test_client_elicitation_defaults"),
	"sse-retry":                           calling(`{}`, "test_reconnection"),
	"sep-2322-client-request-state":       calling(`{}`, "test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"),
	"http-standard-headers":               useOneOfEach,
	"http-custom-headers":                 makeToolCalls,
	"http-invalid-tool-headers": func(ctx context.Context, s *mcp.ClientSession, tools []*mcp.Tool) {
		for _, t := range tools {
			calling(`{"region":"us-west1"}`, t.Name)(ctx, s, nil)
		}
	},
	"json-schema-2020-12-preservation": func(ctx context.Context, s *mcp.ClientSession, tools []*mcp.Tool) {
		for _, t := range tools {
			if t.Name == "json_schema_2020_12_tool" {
				schema, err := json.Marshal(t.InputSchema)
				must(err)
				calling(`{"schema":`+string(schema)+`}`, "json_schema_echo")(ctx, s, nil)
			}
		}
	},
}

// calling calls tools, one after the other. Some scenarios refuse some of them; the suite judges.
func calling(args string, tools ...string) func(context.Context, *mcp.ClientSession, []*mcp.Tool) {
	return func(ctx context.Context, s *mcp.ClientSession, _ []*mcp.Tool) {
		for _, name := range tools {
			_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
			report("tools/call "+name, err)
		}
	}
}

func useOneOfEach(ctx context.Context, s *mcp.ClientSession, tools []*mcp.Tool) {
	calling(`{}`, tools[0].Name)(ctx, s, nil)
	resources, err := s.ListResources(ctx, nil)
	must(err)
	_, err = s.ReadResource(ctx, &mcp.ReadResourceParams{URI: resources.Resources[0].URI})
	report("resources/read", err)
	prompts, err := s.ListPrompts(ctx, nil)
	must(err)
	_, err = s.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompts.Prompts[0].Name})
	report("prompts/get", err)
}

func makeToolCalls(ctx context.Context, s *mcp.ClientSession, _ []*mcp.Tool) {
	var given struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	must(json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given))
	for _, c := range given.ToolCalls {
		calling(string(c.Arguments), c.Name)(ctx, s, nil)
	}
}

// report says what became of a request, on stderr, which the suite keeps.
func report(what string, err error) { fmt.Fprintln(os.Stderr, what, err) }

// callAll calls every tool that a server on stdio lists. It leaves none out, as the SDK does on every transport.
func callAll(cmd *exec.Cmd) {
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	answers := json.NewDecoder(out)
	ask := func(method, params string, result any) {
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`+"\n", method, params)
		must(err)
		var answer struct{ Result, Error json.RawMessage }
		must(answers.Decode(&answer))
		must(json.Unmarshal(answer.Result, result))
	}
	var list struct{ Tools []struct{ Name string } }
	ask("tools/list", "", &list)
	for _, t := range list.Tools {
		ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":{"region":"us-west1"},`, t.Name), &struct{}{})
	}
	must(in.Close())
	must(cmd.Wait())
}

// playScenario is a client in the scenario that the environment names. Its arguments are "direct" or
// "relayed", a folder for the relay, and the server's address.
func playScenario(args []string) {
	how, dir, url := args[0], args[1], args[2]
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url}
	if how == "relayed" {
		opt, err := json.Marshal(Options{Server: "scenario", State: filepath.Join(dir, "state"), URL: url})
		must(err)
		program, err := os.Executable()
		must(err)
		cmd := exec.Command(program, "as-relay", string(opt))
		cmd.Env = append(os.Environ(), "HOME="+dir)
		cmd.Stderr = os.Stderr
		transport = &mcp.CommandTransport{Command: cmd}
		if scenario == "http-invalid-tool-headers" {
			callAll(cmd)
			return
		}
	}
	accepted := map[string]any{}
	if scenario == "sep-2322-client-request-state" {
		accepted["confirmed"] = true
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: accepted}, nil
		},
	})
	ctx := context.Background()
	s, err := client.Connect(ctx, transport, nil)
	must(err)
	tools, err := s.ListTools(ctx, nil)
	must(err)
	scenarios[scenario](ctx, s, tools.Tools)
	must(s.Close())
}
