// Package mcpserver puts the reference server behind the official MCP SDK, as a harness meets it.
// It must not know what the server answers, or why.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// Name is what the server calls itself.
const Name = "workflow-server"

// New returns an MCP server with the tools of s. readonly annotates them as such: harnesses then
// make parallel calls at once and not one after the other.
//
// The SDK does not check arguments of these tools against their schema, for the workflow-server's
// own refusals are what shows that a token is missing.
func New(s *refserver.Server, readonly bool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: Name, Version: "1.0.0"}, nil)
	for _, t := range refserver.Tools() {
		tool := &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema}
		if readonly {
			tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
		}
		server.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answer(s, r.Params)
		})
	}
	return server
}

func answer(s *refserver.Server, p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	raw, err := s.Call(p.Name, p.Arguments)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	var result mcp.CallToolResult
	var structured struct {
		Raw json.RawMessage `json:"structuredContent"`
	}
	if err := errors.Join(json.Unmarshal(raw, &result), json.Unmarshal(raw, &structured)); err != nil {
		return nil, fmt.Errorf("the reference server's answer is no CallToolResult: %w", err)
	}
	if structured.Raw != nil {
		result.StructuredContent = structured.Raw // decoded it would lose the order of its members
	}
	return &result, nil
}
