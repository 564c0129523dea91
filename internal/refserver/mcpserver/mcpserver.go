// Package mcpserver serves the reference server with the official MCP SDK.
//
// It must not know what the server answers, or why.
package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// New returns an MCP server with the tools of s. readonly annotates them as read-only, so that harnesses make
// parallel calls at the same time.
//
// The SDK does not validate the arguments, so that a missing token gets the workflow-server's own refusal.
func New(s *refserver.Server, readonly bool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: refserver.Name, Version: "1.0.0"}, nil)
	for _, t := range s.Tools() {
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
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("the reference server's answer is not a CallToolResult: %w", err)
	}
	return &result, nil
}
