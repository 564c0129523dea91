package hook

import (
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
)

// plain is the codec of the specification's interceptor, for a command without a harness. Events and answers
// have Claude Code's form; all members of an event except tool_name are optional.
type plain struct {
	claudecode.Codec
	verb string
}

// Read decodes an event. If the event does not name its kind, the verb does.
func (p plain) Read(event []byte) (harnesses.Event, error) {
	ev, err := p.Codec.Read(event)
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
	if tool, ok := p.Codec.Tool(ev, server); ok {
		return tool, true
	}
	return p.Codec.Tool(ev, strings.ReplaceAll(server, "-", "_"))
}
