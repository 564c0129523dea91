package hook

import (
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/hook/carry"
)

// plain is the codec of the specification's interceptor, for a command without a harness. Events have Claude
// Code's form; all members except tool_name are optional.
type plain struct {
	verb string
}

// Read decodes an event. If the event does not name its kind, the verb does.
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

// Tool also accepts names with underscores instead of hyphens.
func (p plain) Tool(ev harnesses.Event, server string) (string, bool) {
	if tool, ok := (claudecode.Codec{}).Tool(ev, server); ok {
		return tool, true
	}
	return claudecode.Codec{}.Tool(ev, strings.ReplaceAll(server, "-", "_"))
}

// Answer returns the answer of the specification, which is Claude Code's.
func (plain) Answer(c carry.Change) []byte { return claudecode.Codec{}.Answer(c) }

// Nothing returns no answer.
func (plain) Nothing() []byte { return nil }
