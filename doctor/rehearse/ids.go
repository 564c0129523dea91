package rehearse

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"wsi/harnesses"
)

// IDs plays a call of a server whose ids are kept, and a compaction. It returns why the model does not read the id
// that the call returned, "" if it does.
func (s Subject) IDs(ctx context.Context, server string) (why string) {
	simulator, ok := s.Harness.Simulator.(harnesses.Compacting)
	if !ok {
		return s.Harness.Name + " shows hooks no compaction"
	}
	s.Server = server
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	id := fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	call := s.Call(id, "", "call-1", "create_thing", `{}`)
	text, err := json.Marshal(fmt.Sprintf(`{"thing_id":%q}`, id))
	if err != nil {
		return err.Error()
	}
	after := s.Harness.Simulator.After(call, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text))
	if _, why := s.runAll(ctx, after); why != "" {
		return "after a call, " + why
	}
	said, why := s.runAll(ctx, simulator.Compacted(call))
	switch {
	case why != "":
		return "after a compaction, " + why
	case bytes.Count(said, []byte(id)) != 1:
		return "after a compaction the list lacks an id that the server returned"
	}
	return ""
}

// runAll runs the hooks for an event that keep ids of the server, and returns what they print.
func (s Subject) runAll(ctx context.Context, event []byte) (printed []byte, why string) {
	hooks := slices.DeleteFunc(s.hooksFor(event, harnesses.Capture), func(h Hook) bool { return !slices.Contains(h.Parsed.Handles, s.Server) })
	if len(hooks) == 0 {
		return nil, "no hook runs"
	}
	for _, h := range hooks {
		ran := s.Start(ctx, h, event)
		switch {
		case ran.Err != nil:
			return nil, ran.Err.Error()
		case ran.Exit != 0:
			return nil, fmt.Sprintf("the hook ends with status %d", ran.Exit)
		}
		printed = append(printed, ran.Stdout...)
	}
	return printed, ""
}
