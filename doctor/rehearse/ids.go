package rehearse

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/internal/refserver/scripted"
	"wsi/internal/stdiorpc"
)

// IDs plays a call of a server whose ids are kept, a compaction and another call. It returns why the model does not
// read the id that the first call returned, "" if it does.
func (s Subject) IDs(ctx context.Context, server string) (why string) {
	s.Server = server
	id := newID()
	return s.listed(ctx, id, func(step string) ([]byte, string) {
		return s.runAll(ctx, s.Harness.Simulator.After(s.creates(id, step), created(id, step)))
	})
}

// IDs is [Subject.IDs] with the relay between the harness and the server. Hooks only see the compaction.
func (r Relay) IDs(ctx context.Context, server string) (why string) {
	r.Server = server
	id, to := newID(), r.server(scripted.Kind)
	to.dir += "ids"
	var answers []scripted.Answer
	for _, step := range []string{before, behind} {
		answers = append(answers, scripted.Answer{Step: step, Tool: creates, Result: created(id, step)})
	}
	err := scripted.Write(to.dir, []scripted.Tool{{Name: creates, Schema: json.RawMessage(`{"type":"object"}`)}}, answers)
	if err == nil {
		if name := r.Harness.Capabilities.SessionVariable; name != "" {
			r.Box.Env = append(slices.Clone(r.Box.Env), name+"="+id)
		}
		err = r.talk(ctx, to, func(talk *stdiorpc.Client) error {
			if err := r.greet(talk); err != nil {
				return err
			}
			why = r.listed(ctx, id, func(step string) ([]byte, string) {
				result, err := r.call(ctx, talk, step, relayCall{id, creates, string(r.creates(id, step).Args)})
				if err != nil {
					return nil, err.Error()
				}
				return result, ""
			})
			return nil
		})
	}
	if err != nil {
		return "wsi relay in front of " + server + ": " + err.Error()
	}
	return why
}

// The two calls, and their tool.
const (
	before, behind = "before", "behind"
	creates        = "create_thing"
)

// creates returns a call in the session that is named like the id.
func (s Subject) creates(id, step string) harnesses.ToolCall {
	return s.Call(id, "", "call-"+step, creates, fmt.Sprintf(`{"step":%q}`, step))
}

// created returns the call's result: only the first has the id.
func created(id, step string) []byte {
	if step != before {
		id = "nothing"
	}
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%q}]}`, fmt.Sprintf(`{"thing_id":%q}`, id))
}

func newID() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
}

// listed makes a call, has the conversation compacted and, if the model then does not read the id, makes another call. The
// function call makes one, and returns what wsi says or why it failed.
func (s Subject) listed(ctx context.Context, id string, call func(step string) ([]byte, string)) (why string) {
	simulator, ok := s.Harness.Simulator.(harnesses.Compacting)
	if !ok {
		return s.Harness.Name + " shows hooks no compaction"
	}
	if _, why := call(before); why != "" {
		return "after a call, " + why
	}
	said, why := s.runAll(ctx, simulator.Compacted(s.creates(id, before)))
	if why != "" {
		return "after a compaction, " + why
	}
	if len(bytes.TrimSpace(said)) == 0 {
		if said, why = call(behind); why != "" {
			return "after the first call behind a compaction, " + why
		}
	}
	if bytes.Count(said, []byte(id)) != 1 {
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
