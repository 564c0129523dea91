package clinecli

import (
	"errors"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Cline CLI's hook events (3.0.65).
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Cline CLI")

// Read parses the input of the programs PreToolUse and PostToolUse. It has the arguments twice; those under preToolUse are
// only strings. It has the whole result with its _meta.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	var ev harnesses.Event
	member := m.String("hookName")
	switch member {
	case "tool_call":
		ev.Kind = harnesses.Before
	case "tool_result":
		ev.Kind = harnesses.After
	default:
		return harnesses.Event{Kind: harnesses.Other}, errNoEvent
	}
	call := harnesses.Inside(m.Get(member))
	ev.ID, ev.Name = call.String("id"), call.String("name")
	if ev.Name == "" {
		return ev, errNoEvent
	}
	if name, hash := cut(ev.Name); hash != "" { // all tools of a server must have the same
		ev.Server, _, _ = strings.Cut(name, "__")
	}
	ev.Session = harnesses.Inside(m.Get("sessionContext")).String("rootSessionId")
	if m.String("parent_agent_id") != "" { // the main agent has an id as well
		ev.Agent = m.String("agent_id")
	}
	ev.Args = harnesses.RawObject(call.Get("input"))
	if failed := call.Get("error"); failed != nil && string(failed) != "null" {
		ev.Kind = harnesses.Failed
	} else if ev.Kind == harnesses.After {
		ev.Result = harnesses.ReadResult(call.Get("output"))
	}
	return ev, nil
}

// Tool parses <server>__<tool>, also with the characters that Cline CLI replaces. It returns false for a name that is too
// long, because it is cut, and for one that may be tool _c of server a or tool c of server a_.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	tool, ok = strings.CutPrefix(ev.Name, safe(server+"__"))
	if ok && safe(server) != server {
		tool, _ = cut(tool)
		return tool, called(server, tool) == ev.Name
	}
	return tool, ok && tool != "" && len(ev.Name) < longest && tool[0] != '_' && !strings.Contains(tool, "__")
}

// Answer returns all arguments.
func (Codec) Answer(c carry.Change) []byte {
	return slices.Concat([]byte(`{"cancel":false,"overrideInput":`), c.Args, []byte("}\n"))
}

// Nothing returns no output.
func (Codec) Nothing() []byte { return nil }
