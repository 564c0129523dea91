// Command bare is the minimal interceptor of the specification, with one file for one token. It is the baseline for
// the speed of wsi, so it must stay this simple. It must not import anything of wsi.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

type event struct {
	ToolName     string                     `json:"tool_name"`
	ToolInput    map[string]json.RawMessage `json:"tool_input"`
	ToolResponse struct {
		Meta struct {
			SessionToken string `json:"session_token"`
		} `json:"_meta"`
	} `json:"tool_response"`
}

type answer struct {
	HookSpecificOutput output `json:"hookSpecificOutput"`
}

type output struct {
	HookEventName string                     `json:"hookEventName"`
	UpdatedInput  map[string]json.RawMessage `json:"updatedInput"`
}

func main() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	file := filepath.Join(home, ".claude", "workflow-server-tokens", "current.token")
	var ev event
	if json.NewDecoder(os.Stdin).Decode(&ev) != nil || !strings.HasPrefix(ev.ToolName, "mcp__workflow-server__") {
		return
	}
	switch os.Args[1] {
	case "inject":
		inject(ev, file)
	case "capture":
		if token := ev.ToolResponse.Meta.SessionToken; token != "" {
			os.MkdirAll(filepath.Dir(file), 0o700)
			os.WriteFile(file, []byte(token), 0o600)
		}
	}
}

func inject(ev event, file string) {
	if strings.HasSuffix(ev.ToolName, "__start_session") || ev.ToolInput["session_token"] != nil || ev.ToolInput["checkpoint_handle"] != nil {
		return
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return
	}
	quoted, _ := json.Marshal(string(token))
	if ev.ToolInput == nil {
		ev.ToolInput = map[string]json.RawMessage{}
	}
	ev.ToolInput["session_token"] = quoted
	json.NewEncoder(os.Stdout).Encode(answer{output{"PreToolUse", ev.ToolInput}})
}
