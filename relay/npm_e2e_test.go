//go:build e2e

package relay

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/testkit/npmtest"
)

// npm installs servers that have nothing to do with wsi, and returns their folder.
func npm(t *testing.T) string {
	t.Helper()
	return filepath.Join(npmtest.Install(t, filepath.Join("testdata", "npm", "servers")), "@modelcontextprotocol")
}

// exchange sends requests to a server, one after the other, and returns the answers.
func exchange(t *testing.T, cmd *exec.Cmd, requests []string) (answers []string) {
	t.Helper()
	in, out := startPiped(t, cmd)
	c := &client{world: &world{t: t}, in: in, out: out}
	c.listen()
	for i, r := range requests {
		method, params, _ := strings.Cut(r, " ")
		if strings.HasPrefix(method, "notifications/") {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method))
			continue
		}
		if params == "" {
			params = "{}"
		}
		id := fmt.Sprintf(`"r%d"`, i)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
		answers = append(answers, c.answer(id))
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "exit status") && !strings.Contains(err.Error(), "signal") {
		t.Error(err)
	}
	return append(answers, fmt.Sprintf("exit status %d", cmd.ProcessState.ExitCode()))
}

// The same session with and without the relay gives the same messages, byte for byte.
func TestServersFromNPM(t *testing.T) {
	servers := npm(t)
	const (
		hello = `initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`
		call  = `tools/call {"name":"%s","arguments":%s}`
	)
	for name, requests := range map[string][]string{
		"everything": {
			hello, "notifications/initialized", "ping", "tools/list", fmt.Sprintf(call, "echo", `{"message":"a\u0041\/b"}`),
			fmt.Sprintf(call, "get-sum", `{"a":1.50,"b":2e0}`), fmt.Sprintf(call, "get-tiny-image", `{}`), fmt.Sprintf(call, "no-such-tool", `{}`),
			fmt.Sprintf(call, "echo", `{}`), `resources/list`, `resources/templates/list`, `resources/read {"uri":"demo://resource/static/document/features.md"}`,
			`prompts/list`, `prompts/get {"name":"simple-prompt"}`, `completion/complete {}`, `no/such/method {"a":[1,{"b":null}]}`,
			`server/discover`, fmt.Sprintf(call, "get-structured-content", `{"location":"New York"}`),
		},
		"filesystem": {
			hello, "notifications/initialized", "tools/list", fmt.Sprintf(call, "list_directory", `{"path":"DIR"}`),
			fmt.Sprintf(call, "write_file", `{"path":"DIR/a","content":"x\ny"}`), fmt.Sprintf(call, "read_text_file", `{"path":"DIR/a"}`),
			fmt.Sprintf(call, "read_text_file", `{"path":"/etc/passwd"}`),
		},
		"memory": {
			hello, "notifications/initialized", "tools/list",
			fmt.Sprintf(call, "create_entities", `{"entities":[{"name":"a","entityType":"b","observations":["c"]}]}`),
			fmt.Sprintf(call, "read_graph", `{}`), fmt.Sprintf(call, "search_nodes", `{"query":"a"}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(relayed bool) []string {
				w := newWorld(t)
				program := []string{"node", filepath.Join(servers, "server-"+name, "dist", "index.js")}
				if name == "filesystem" {
					program = append(program, filepath.Join(w.dir, "home"))
				}
				cmd := exec.Command(program[0], program[1:]...)
				if relayed {
					w.opt.Server, w.opt.Command = name, program
					cmd = asProcess(t, w.opt)
				}
				cmd.Env = append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(w.dir, "memory.jsonl"), "HOME="+filepath.Join(w.dir, "home"))
				var mine []string
				for _, r := range requests {
					mine = append(mine, strings.ReplaceAll(r, "DIR", filepath.Join(w.dir, "home")))
				}
				answers := exchange(t, cmd, mine)
				for i := range answers {
					answers[i] = strings.ReplaceAll(answers[i], w.dir, "DIR")
				}
				return answers
			}
			with, without := run(true), run(false)
			for i := range without {
				if i >= len(with) || with[i] != without[i] {
					t.Errorf("%s\nwith    %.600s\nwithout %.600s", requests[min(i, len(requests)-1)], with[min(i, len(with)-1)], without[i])
				}
			}
			if slices.ContainsFunc(without[:len(without)-1], func(a string) bool { return !json.Valid([]byte(a)) }) {
				t.Error("an answer is none")
			}
		})
	}
}

// The same over Streamable HTTP, with the SDK's client on this side.
func TestServerFromNPMOverHTTP(t *testing.T) {
	servers := npm(t)
	url := "http://" + listening(t, func(address string) *exec.Cmd {
		server := exec.Command("node", filepath.Join(servers, "server-everything", "dist", "index.js"), "streamableHttp")
		server.Env = append(os.Environ(), "PORT="+address[strings.LastIndexByte(address, ':')+1:])
		return server
	}) + "/mcp"
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		run := func(transport mcp.Transport) (all []string) {
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			keep := func(what any, err error) {
				raw, e := json.Marshal(what)
				all = append(all, fmt.Sprintf("%s %v %v", raw, err, e))
			}
			keep(s.ListTools(t.Context(), nil))
			keep(s.ListResources(t.Context(), nil))
			keep(s.ListPrompts(t.Context(), nil))
			keep(s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "x"}}))
			keep(s.CallTool(t.Context(), &mcp.CallToolParams{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 1, "steps": 3}, Meta: mcp.Meta{"progressToken": "p"}}))
			keep(s.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}))
			_ = s.Close() // how it ends is the transport's
			return all
		}
		w := newWorld(t)
		w.opt.Server, w.opt.Command, w.opt.URL = "everything", nil, url
		with := run(&mcp.CommandTransport{Command: asProcess(t, w.opt)})
		without := run(&mcp.StreamableClientTransport{Endpoint: url})
		if !slices.Equal(with, without) {
			t.Errorf("%s\nwith    %.3000s\nwithout %.3000s", version, with, without)
		}
		if len(with) != 6 || !strings.Contains(with[3], "Echo: x") {
			t.Errorf("%s: %q", version, with)
		}
	}
}
