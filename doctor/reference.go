package doctor

import (
	"fmt"
	"regexp"

	"wsi/internal/refserver"
)

// server is the reference server of a rehearsal: the one party that knows which value a call had to
// carry.
type server struct {
	*refserver.Server
	shape *regexp.Regexp // of its values
}

func newServer(o refserver.Options) server {
	return server{refserver.New(o), regexp.MustCompile(`[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}`)}
}

// reply is a result and what the server says of the call.
type reply struct {
	refserver.Call
	result []byte // a raw CallToolResult
	issued string // the value handed out, "" for none; it is shown to nobody
}

func (s server) call(tool string, args []byte) (reply, error) {
	result, err := s.Server.Call(tool, args)
	if err != nil {
		return reply{}, fmt.Errorf("the reference server: %w", err)
	}
	ledger, err := s.Ledger()
	if err != nil {
		return reply{}, fmt.Errorf("the reference server: %w", err)
	}
	// A result that has a second value of that shape has it behind the first.
	return reply{ledger[len(ledger)-1], result, string(s.shape.Find(result))}, nil
}

// said tells in words what the server found where the right value should have been.
var said = map[refserver.Verdict]string{
	refserver.Right:   "the value of another session came",
	refserver.Stale:   "an older value came",
	refserver.Unknown: "something came that is no value of the server's",
	refserver.Missing: "no value came",
}
