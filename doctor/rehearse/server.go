package rehearse

import (
	"fmt"
	"regexp"

	"wsi/internal/refserver"
)

// server is the reference server of a rehearsal. It knows which value a call must carry.
type server struct {
	*refserver.Server
	shape *regexp.Regexp // of its values
}

func newServer(o refserver.Options) server {
	return server{refserver.New(o), regexp.MustCompile(`[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}`)}
}

// reply is a result and the server's verdict on the call.
type reply struct {
	refserver.Call
	result []byte // a raw CallToolResult
	issued string // the value that was issued, "" = none; it is never shown
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
	// If a result has two values of that shape, the issued one is the first.
	return reply{ledger[len(ledger)-1], result, string(s.shape.Find(result))}, nil
}

// said describes the verdicts on wrong calls.
var said = map[refserver.Verdict]string{
	refserver.Right:   "the value of another session came",
	refserver.Stale:   "an older value came",
	refserver.Unknown: "the value that came is not one of the server's",
	refserver.Missing: "no value came",
}
