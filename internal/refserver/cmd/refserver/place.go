package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// Places of the token that no workflow-server uses, but other servers do.
const (
	structured = "structured" // structuredContent
	blockMeta  = "block-meta" // the _meta of the text
)

// moveToken makes results have the token in one of these places only.
func moveToken(server *mcp.Server, place string) {
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			answer, err := next(ctx, method, r)
			if result, ok := answer.(*mcp.CallToolResult); ok && result.Meta != nil {
				token := map[string]any{refserver.Argument: result.Meta[refserver.Argument]}
				if result.Meta = nil; place == structured {
					result.StructuredContent = token
				} else if text, ok := result.Content[0].(*mcp.TextContent); ok {
					text.Meta = token
				}
			}
			return answer, err
		}
	})
}
