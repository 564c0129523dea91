package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// openCode2 drives `opencode run` of OpenCode 2 (2.0.15), with a server of its own. It reads the configuration of OpenCode 1.
// A model calls the tools of MCP servers from scripts, unless the configuration says otherwise.
type openCode2 struct{ openCode }

// openCodeOf returns the driver of a version, "" for the one that CI pins.
func openCodeOf(version string) driver {
	if version != "" && setup.Newer(version, "1.999") {
		return openCode2{}
	}
	return openCode{}
}

func (d openCode2) command(r *Rig, name, session, prompt string) (args, env []string) {
	args, env = d.openCode.command(r, name, session, prompt)
	return append([]string{args[0], "--standalone", "--auto"}, args[1:]...), env
}

// pauseID begins the ids of calls with which the model waits.
const pauseID = "call_pause"

// speak has the model answer as OpenCode 2 needs it. OpenCode 2 makes its first requests before it knows the tools of its
// servers. Until knows says that it does, the model pauses.
func (openCode2) speak(r *Rig, knows func(tools json.RawMessage, messages []json.RawMessage) bool) {
	r.Model.call = r.scripted
	r.Model.chat = func(body []byte, s *stream) error {
		request := map[string]json.RawMessage{}
		var messages []json.RawMessage
		if err := json.Unmarshal(body, &request); err != nil {
			return err
		}
		if err := json.Unmarshal(request["messages"], &messages); err != nil {
			return err
		}
		if request["tools"] != nil && !knows(request["tools"], messages) {
			return chatStream(s, "script", []namedCall{{fmt.Sprint(pauseID, len(messages)), "shell", `{"command":"sleep 0.3"}`}})
		}
		request["messages"] = mustJSON(slices.DeleteFunc(messages, func(m json.RawMessage) bool { return bytes.Contains(m, []byte(pauseID)) }))
		return r.Model.chatted(mustJSON(request), s)
	}
}

// listed reports whether the last list of the tools for scripts has those of the server.
func (r *Rig) listed(_ json.RawMessage, messages []json.RawMessage) bool {
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

// scripted returns the call of a program with which a model of OpenCode 2 makes a call.
func (r *Rig) scripted(c Call, script string) namedCall {
	if c.Sub != "" {
		return namedCall{name: "subagent", args: string(mustJSON(object{"agent": "general", "description": "sub", "prompt": c.prompt()}))}
	}
	code := fmt.Sprintf("return await tools[%s][%s](%s)", mustJSON(harnesses.SafeName(r.name, harnesses.WordOrHyphen)), mustJSON(c.Tool), c.arguments(script))
	return namedCall{name: "execute", args: string(mustJSON(object{"code": code}))}
}
