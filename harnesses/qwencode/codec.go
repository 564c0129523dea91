package qwencode

import (
	"errors"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads the events of Qwen Code for which wsi registers hooks (0.24.4): behind a compaction, and before a
// sub-agent's first request.
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Qwen Code that wsi reads")

// Qwen Code ignores what a hook for the first answers; wsi answers neither.
const compacted, spawned = "PostCompact", "SubagentStart"

// Read parses an event. The one behind a compaction names the sub-agent whose conversation was compacted.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{Kind: harnesses.Other, Session: m.String("session_id"), Agent: m.String("agent_id"), File: m.String("transcript_path"), Mute: true}
	switch m.String("hook_event_name") {
	case compacted:
		ev.Kind, ev.Name = harnesses.Compacted, m.String("trigger") // which matchers match
	case spawned:
		ev.Kind, ev.Name = harnesses.Spawned, m.String("agent_type")
	default:
		return ev, errNoEvent
	}
	return ev, nil
}

// Tool reports false: a compaction has no tool.
func (Codec) Tool(harnesses.Event, string) (tool string, ok bool) { return "", false }

// Answer returns no output: no hook changes arguments.
func (Codec) Answer(carry.Change) []byte { return nil }

// Nothing returns no output.
func (Codec) Nothing() []byte { return nil }
