// Package toollist asks an MCP server for its tools, as a harness does. It must not know how a server is started.
package toollist

import (
	"encoding/json"
	"errors"
	"fmt"

	"wsi/internal/stdiorpc"
)

// Tool is a tool in the server's tools/list.
type Tool struct {
	Name        string
	InputSchema json.RawMessage
	Annotations struct{ ReadOnlyHint bool }
}

// Takes reports whether the tool has an argument of that name.
func (t Tool) Takes(argument string) bool {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	_ = json.Unmarshal(t.InputSchema, &schema) // an invalid schema has no arguments
	_, ok := schema.Properties[argument]
	return ok
}

// pages limits the length of a list of tools.
const pages = 100

// Ask initializes a server and lists its tools. Codex 0.169.0 asks for protocol 2025-06-18 too; servers answer with a
// version of their own. If the tools are not nil, the server answered initialize.
func Ask(server *stdiorpc.Client, wsiVersion string) ([]Tool, error) {
	_, err := server.Call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "wsi", "version": wsiVersion},
	})
	if err != nil {
		return nil, err
	}
	if err := server.Notify("notifications/initialized", nil); err != nil {
		return nil, err
	}
	all := []Tool{}
	params := map[string]string{}
	for range pages {
		raw, err := server.Call("tools/list", params)
		if err != nil {
			return all, err
		}
		var page struct {
			Tools      []Tool
			NextCursor string
		}
		if json.Unmarshal(raw, &page) != nil {
			return all, errors.New("its list of tools is invalid")
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" {
			return all, nil
		}
		params["cursor"] = page.NextCursor
	}
	return all, fmt.Errorf("its list of tools does not end after %d pages", pages)
}
