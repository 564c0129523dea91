package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// openCode2 drives `opencode run` of OpenCode 2 (2.0.15), with a server of its own. There a model calls the tools of MCP
// servers from scripts, unless the configuration says otherwise.
type openCode2 struct {
	openCode
	direct bool // the model calls the tools itself
}

// openCodeOf returns the driver of a version, "" for the one that CI pins.
func openCodeOf(version string) driver {
	if version != "" && setup.Newer(version, "1.999") {
		return openCode2{}
	}
	return openCode{}
}

// configure writes the configuration of OpenCode 1, which OpenCode 2 reads, or with direct that of OpenCode 2.
func (d openCode2) configure(r *Rig, server []string) error {
	if !d.direct {
		return d.openCode.configure(r, server)
	}
	return r.write(".config/opencode/opencode.json", string(mustJSON(object{
		"model": "loopback/script",
		"providers": object{"loopback": object{
			"package": "aisdk:@ai-sdk/openai-compatible", "name": "loopback",
			"settings": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":   object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{"servers": object{r.name: object{"type": "local", "command": server, "codemode": false}}},
	}))+"\n")
}

func (d openCode2) command(r *Rig, name, session, prompt string) (args, env []string) {
	args, env = d.openCode.command(r, name, session, prompt)
	return append([]string{args[0], "--standalone", "--auto"}, args[1:]...), env
}

// pauseID begins the ids of calls with which the model waits.
const pauseID = "call_pause"

// speak has the model answer as OpenCode 2 needs it. OpenCode 2 makes its first requests before it knows the tools of its
// servers. Until it does, the model pauses.
func (d openCode2) speak(r *Rig) func([]byte, *stream) error {
	return func(body []byte, s *stream) error {
		request := map[string]json.RawMessage{}
		var messages []json.RawMessage
		if err := json.Unmarshal(body, &request); err != nil {
			return err
		}
		if err := json.Unmarshal(request["messages"], &messages); err != nil {
			return err
		}
		if request["tools"] != nil && !d.knowsTools(r, request["tools"], messages) {
			return chatStream(s, "script", []namedCall{{fmt.Sprint(pauseID, len(messages)), "shell", `{"command":"sleep 0.3"}`}})
		}
		said := messages[:0]
		for _, m := range messages {
			if !bytes.Contains(m, []byte(pauseID)) {
				said = append(said, m)
			}
		}
		request["messages"] = mustJSON(said)
		c, err := r.Model.converse(mustJSON(request))
		if err != nil {
			return err
		}
		calls := make([]namedCall, len(c.calls))
		for i, call := range c.calls {
			calls[i] = d.named(r, call, c.script)
			calls[i].id = callID(c.script, c.turn, i)
		}
		return chatStream(s, c.model, calls)
	}
}

// knowsTools reports whether the model may call the server's tools: they are in the request, or in the last list of those
// for scripts.
func (d openCode2) knowsTools(r *Rig, tools json.RawMessage, messages []json.RawMessage) bool {
	if d.direct {
		return bytes.Contains(tools, []byte(r.tool("")))
	}
	list := ""
	for _, m := range messages {
		var message struct{ Content json.RawMessage }
		if json.Unmarshal(m, &message) != nil {
			continue
		}
		if said := text(message.Content); strings.Contains(said, "# Code Mode") {
			list = said
		}
	}
	return strings.Contains(list, r.name)
}

// named returns the call with which the model makes one of a script.
func (d openCode2) named(r *Rig, c Call, script string) namedCall {
	if c.Sub != "" {
		return namedCall{name: "subagent", args: string(mustJSON(object{"agent": "general", "description": "sub", "prompt": c.prompt()}))}
	}
	if d.direct {
		return namedCall{name: r.tool(c.Tool), args: c.arguments(script)}
	}
	code := fmt.Sprintf("return await tools[%s][%s](%s)", mustJSON(harnesses.SafeName(r.name, harnesses.WordOrHyphen)), mustJSON(c.Tool), c.arguments(script))
	return namedCall{name: "execute", args: string(mustJSON(object{"code": code}))}
}
