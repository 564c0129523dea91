//go:build e2e

package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/testkit/npmtest"
)

// suite is the official conformance suite, in one of its releases.
type suite struct{ node, program string }

func conformance(t *testing.T, release string) suite {
	t.Helper()
	modules := npmtest.Install(t, filepath.Join("testdata", "npm", "conformance"))
	s := suite{"node", filepath.Join(modules, release, "dist", "index.js")}
	if installed, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node")); len(installed) > 0 {
		s.node = installed[0] // it needs Node 22
	}
	return s
}

// run runs the suite and returns how often each check has passed, by "scenario check".
func (s suite) run(t *testing.T, args ...string) (passed map[string]int) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append(append([]string{s.program}, args...), "-o", dir)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput() // exit status 1 means that a check has failed
	passed = passedIn(t, dir)
	if len(passed) == 0 || ctx.Err() != nil {
		t.Fatalf("%q: %v\n%.3000s", args, err, out)
	}
	return passed
}

var timestamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-0-9]+Z$`)

func passedIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	passed := map[string]int{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return err
		}
		scenario := timestamp.ReplaceAllString(filepath.ToSlash(filepath.Dir(path)), "")
		for _, c := range checks {
			if c.Status == "SUCCESS" {
				passed[scenario+" "+c.ID]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

// compare fails for every check that is lost with the relay.
func compare(t *testing.T, with, without map[string]int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(without)) {
		if with[name] < without[name] {
			t.Errorf("LOST  %s: passed %d times, without the relay %d", name, with[name], without[name])
		}
	}
	t.Logf("%d checks without the relay, %d with it", len(without), len(with))
}

var legs = []struct{ name, release, version string }{
	{"released", "released", "2025-11-25"},
	{"alpha-2025-11-25", "alpha", "2025-11-25"},
	{"alpha-2026-07-28", "alpha", "2026-07-28"},
}

// A client behind the relay passes the same checks as one that speaks HTTP itself.
func TestConformanceOfNPMSuiteOfClient(t *testing.T) {
	for _, leg := range legs {
		t.Run(leg.name, func(t *testing.T) {
			s := conformance(t, leg.release)
			with, without := map[string]int{}, map[string]int{}
			for _, scenario := range s.clientScenarios(t, leg.version) {
				switch {
				case strings.HasPrefix(scenario, "auth/"):
					t.Logf("not compared  %s: the relay does not sign in by OAuth", scenario)
				case scenarios[scenario] == nil:
					t.Errorf("the client does not know the scenario %s", scenario)
				default:
					run := func(how string) map[string]int {
						command := strings.Join([]string{self(t), "as-conformance-client", how, newWorld(t).dir}, " ")
						return s.run(t, "client", "--command", command, "--scenario", scenario, "--spec-version", leg.version)
					}
					maps.Copy(with, run("relayed"))
					maps.Copy(without, run("direct"))
				}
			}
			compare(t, with, without)
		})
	}
}

var listed = regexp.MustCompile(`(?m)^  - (\S+) \[(.*)\]$`)

// clientScenarios returns the scenarios for clients that belong to a revision of the protocol.
func (s suite) clientScenarios(t *testing.T, version string) (names []string) {
	t.Helper()
	out, err := exec.Command(s.node, s.program, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(string(out), "Client scenarios")
	all, _, _ = strings.Cut(all, "\nAuthorization server scenarios")
	for _, m := range listed.FindAllStringSubmatch(all, -1) {
		if slices.Contains(strings.Split(m[2], ","), version) {
			names = append(names, m[1])
		}
	}
	return names
}

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
