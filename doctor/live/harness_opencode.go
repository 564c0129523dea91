package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// openCode drives `opencode run`.
type openCode struct{}

func (openCode) configure(r *Rig, server []string) error {
	config := mustJSON(object{
		"model": "loopback/script",
		"provider": object{"loopback": object{
			"npm": "@ai-sdk/openai-compatible", "name": "loopback",
			"options": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":  object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{r.name: object{"type": "local", "command": server, "enabled": true}},
	})
	if err := r.write(".config/opencode/opencode.json", string(config)+"\n"); err != nil {
		return err
	}
	// With a plugin OpenCode waits for npm at every start unless it finds its own package installed
	// next to it, in the user's folder and in the project's.
	for _, dir := range []string{".config/opencode/", ".opencode/", "../work/.opencode/"} {
		if err := r.furnish(dir); err != nil {
			return err
		}
	}
	return nil
}

// furnish puts into a folder what OpenCode's own installation would.
func (r *Rig) furnish(dir string) error {
	needs := fmt.Sprintf(`{"dependencies":{"@opencode-ai/plugin":%q}}`, cmp.Or(r.version, "1.18.33"))
	for name, content := range map[string]string{
		".gitignore":         "node_modules\n",
		"node_modules/.keep": "",
		"package.json":       needs + "\n",
		"package-lock.json":  `{"name":"opencode","lockfileVersion":3,"requires":true,"packages":{"":` + needs + `}}` + "\n",
	} {
		if err := r.write(dir+name, content); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes over a plugin of wsi, and no other. In a project it must not have been edited: it is a program.
func (openCode) adopt(r *Rig, path string, f inspect.Source, runs func(line string) bool) error {
	if _, ours := f.Owned.Marked(f.Content); !ours || f.Scope == setup.Project && !f.Owned.Ours(f.Content) {
		return nil
	}
	if slices.ContainsFunc(f.Owned.Commands(f.Content), func(line string) bool { return !runs(line) }) {
		return nil
	}
	dir, err := filepath.Rel(r.Home, filepath.Dir(filepath.Dir(path))) // the plugin is in plugin/ or plugins/
	if err != nil {
		return err
	}
	return errors.Join(r.furnish(filepath.ToSlash(dir)+"/"), r.put(path, f.Content))
}

func (openCode) configHome() string { return filepath.Join(".config", "opencode") }

func (openCode) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"run", "--format", "json"}
	if session != "" {
		args = append(args, "--session", session)
	}
	return append(args, prompt), []string{
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
	}
}

func (openCode) session(_ string, stdout []byte) string { return member(stdout, "sessionID") }

// member returns a text of the first event that has it, of events in JSON, one a line.
func member(stdout []byte, name string) string {
	for line := range bytes.Lines(stdout) {
		var event object
		if json.Unmarshal(line, &event) == nil {
			if text, _ := event[name].(string); text != "" {
				return text
			}
		}
	}
	return ""
}

func (openCode) records() []string { return nil }

// openCode2 drives `opencode run` of OpenCode 2 (2.0.15), with a server of its own. It reads the configuration of OpenCode 1.
// A model calls the tools of MCP servers from scripts, unless the configuration says otherwise.
type openCode2 struct{ openCode }

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
