package hook

import (
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/hook/carry"
)

// plain is the interceptor of the specification, for a hook that names no harness: events in the
// form of Claude Code's, all but tool_name optional, and nothing but the event to look into.
type plain struct {
	verb string
}

// Read takes the kind of an event that does not name it from the verb.
func (p plain) Read(event []byte) (harnesses.Event, error) {
	ev, err := claudecode.Codec{}.Read(event)
	if err != nil {
		return ev, err
	}
	switch {
	case p.verb == harnesses.Inject:
		ev.Kind = harnesses.Before
	case ev.Kind != harnesses.Failed:
		ev.Kind = harnesses.After
	}
	return ev, nil
}

// Tool also knows names whose hyphens became underscores on the way.
func (p plain) Tool(ev harnesses.Event, server string) (string, bool) {
	if tool, ok := (claudecode.Codec{}).Tool(ev, server); ok {
		return tool, true
	}
	return claudecode.Codec{}.Tool(ev, strings.ReplaceAll(server, "-", "_"))
}

// Answer is the specification's.
func (plain) Answer(c carry.Change) []byte { return claudecode.Codec{}.Answer(c) }

// Nothing is silence.
func (plain) Nothing() []byte { return nil }
