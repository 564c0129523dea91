package edit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Claude Code's file grows to megabytes, with hundreds of projects. Wrapping a server in it may take a few times as long
// as reading it once, measured on the same machine.
func TestServersOfBigFile(t *testing.T) {
	projects := map[string]any{}
	for i := range 200 {
		history := make([]string, 40)
		for j := range history {
			history[j] = strings.Repeat("some history ", 40)
		}
		projects[fmt.Sprintf("/home/u/p%d", i)] = map[string]any{"history": history, "mcpServers": map[string]any{}}
	}
	servers := map[string]any{"w": map[string]any{"command": "x", "args": []string{"a"}}}
	before, err := json.MarshalIndent(map[string]any{"mcpServers": servers, "projects": projects}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := decode(before); err != nil {
		t.Fatal(err)
	}
	once := time.Since(start)
	start = time.Now()
	after, made, err := Wrap(registryOf("json"), before, frontFor("w"), noLogin)
	wrapped := time.Since(start)
	if err != nil || wrapped > 40*once {
		t.Errorf("%d bytes: %v to read, %v to wrap: %v", len(before), once, wrapped, err)
	}
	if back, err := Unwrap(registryOf("json"), after, made); err != nil || string(back) != string(before) {
		t.Errorf("unwrapped it is another: %v", err)
	}
}
