// Package opencode is what hooks and relays must know of OpenCode. Package setup/opencode has the rest.
package opencode

import (
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// ID names the harness on command lines.
const ID = "opencode"

// Dialect returns how OpenCode speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		Deny: harnesses.Saying(`{"deny":%s}`),
		Tell: harnesses.Saying(`{"tell":%s}`), // also if the result is an error (1.18.33)
		// The plugin copies the strings in the result.
		Rewrite: func(output []byte) []byte { return harnesses.Render(`{"output":%s}`, output) },
		Add:     add, Mark: mark, Caller: caller,
	}}
}

// markPrefix begins a mark. An alias begins with it as well, but has no second colon.
const markPrefix = "wsi:"

// mark writes wsi:SESSION:CALL into the arguments, wsi:SESSION/AGENT:CALL in a sub-agent: OpenCode 1.18.33 sends
// neither to the server. The plugin adds it while the call runs, so that neither the database nor the model
// gets it.
func mark(ev harnesses.Event) carry.Change {
	who := ev.Session
	if ev.Agent != "" {
		who += "/" + ev.Agent
	}
	return carry.Change{Set: []carry.Argument{{Name: harnesses.MarkArgument, Value: rawjson.Quote(markPrefix + who + ":" + ev.ID)}}}
}

// caller reads what mark writes.
func caller(_, args []byte) harnesses.Caller {
	mark, ok := strings.CutPrefix(harnesses.Inside(args).String(harnesses.MarkArgument), markPrefix)
	who, call, two := strings.Cut(mark, ":")
	session, agent, _ := strings.Cut(who, "/")
	if !ok || !two || session == "" || call == "" || strings.ContainsAny(mark, " \t\r\n") {
		return harnesses.Caller{}
	}
	return harnesses.Caller{Session: session, Agent: agent, Marked: true}
}
