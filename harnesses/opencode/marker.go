package opencode

import (
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Mark writes wsi:SESSION:CALL into the arguments, wsi:SESSION/AGENT:CALL in a sub-agent: on the wire
// OpenCode 1.18.33 names neither. The plugin puts it there when the call is running, so that it is in no
// database and not in what the model reads; the relay takes it out.
func (Codec) Mark(ev harnesses.Event) carry.Change {
	who := ev.Session
	if ev.Agent != "" {
		who += "/" + ev.Agent
	}
	return carry.Change{Set: []carry.Argument{{Name: harnesses.MarkArgument, Value: rawjson.Quote("wsi:" + who + ":" + ev.ID)}}}
}
