package main

import (
	"context"
	"os"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// last is a stdout that exits the program after the first message written when no calls are left. If calls are
// made one after the other, that message is the result of the last one.
type last struct {
	*os.File
	left *atomic.Int64
}

// exitAfter makes the program exit after so many calls.
func exitAfter(server *mcp.Server, calls int) last {
	w := last{os.Stdout, new(atomic.Int64)}
	w.left.Store(int64(calls))
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method != "tools/call" {
				return next(ctx, method, r)
			}
			if w.left.Load() <= 0 { // the program is about to exit
				<-ctx.Done()
				return nil, ctx.Err()
			}
			defer w.left.Add(-1)
			return next(ctx, method, r)
		}
	})
	return w
}

func (w last) Write(p []byte) (int, error) {
	isLast := w.left.Load() <= 0 // now: once it is written, the client may make the next call
	n, err := w.File.Write(p)
	if isLast {
		os.Exit(0)
	}
	return n, err
}
