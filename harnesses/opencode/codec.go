// Package opencode is what hooks and relays must know of OpenCode. Package setup/opencode has the rest.
package opencode

import (
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// Codec reads and writes what passes between wsi and its own plugin (templates/opencode/wsi.js):
//
//	{"event":"before","sessionID":S,"rootID":R,"callID":C,"server":N,"tool":T,"args":{...}}
//	{"event":"after", the same, "result":{a CallToolResult}}
//	{"event":"failed", the same, "error":"the text of a CallToolResult that is an error"}
//
// and back, at most one of
//
//	{"set":{ARGUMENT:VALUE}}         before: assign these
//	{"deny":"a reason"}              before: refuse the call, the model reads the reason
//	{"tell":"a text"}                before: the model reads it after the call's result
//	{"add":"a text"}                 after, perhaps with output: the model reads it before the result's texts
//
// rootID is the topmost ancestor of the session. In OpenCode a sub-agent has a session of its own: its rootID is the user's
// session. For the main agent both ids are the same. The plugin of an older wsi also writes "compacted", without a call.
type Codec struct{ harnesses.Silent }

// Read parses an event of the plugin.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	names := harnesses.Members{
		Kind: "event", Session: "rootID", ID: "callID", Name: "tool", Server: "server", Args: "args",
		Of: "an event of wsi's OpenCode plugin", Bare: []string{"compacted"},
		Kinds: map[string]harnesses.Kind{"before": harnesses.Before, "after": harnesses.After, "failed": harnesses.Failed},
	}
	ev, m, err := names.Read(event)
	switch session := m.String("sessionID"); {
	case ev.Session == "":
		ev.Session = session
	case session != ev.Session:
		ev.Agent = session
	}
	switch ev.Kind {
	case harnesses.After:
		ev.Result = harnesses.ReadResult(m.Get("result"))
	case harnesses.Failed:
		ev.Result = harnesses.ReadResult(m.Get("error"))
		ev.Result.Error = true // the text may quote the arguments
	}
	return ev, err
}

// Tool parses <server>_<tool>. The name can be ambiguous, so the plugin, which knows all servers, names the server.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != "" && ev.Server != server {
		return "", false
	}
	tool, ok = strings.CutPrefix(ev.Name, harnesses.SafeName(server, harnesses.WordOrHyphen)+"_")
	if !ok || tool == "" {
		return "", false
	}
	return tool, true
}

// Answer returns the arguments to assign: the plugin must change OpenCode's object, not replace it.
func (Codec) Answer(c carry.Change) []byte {
	var set jsonraw.Members
	for _, a := range c.Set {
		set = append(set, jsonraw.Member{Key: jsonraw.Quote(a.Name), Value: a.Value})
	}
	return harnesses.Render(`{"set":%s}`, set.Raw())
}

// ID names the harness on command lines.
const ID = "opencode"

// Dialect returns how OpenCode speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		Deny: harnesses.Saying(`{"deny":%s}`),
		Tell: harnesses.Saying(`{"tell":%s}`), // also if the result is an error (1.18.33)
		// The plugin puts the text before the result's content, of which OpenCode cuts the end off (1.18.33).
		Add: harnesses.Adding(harnesses.After, `{"add":%s}`), Note: note, Marks: true,
	}}
}

// note returns SESSION:CALL, or SESSION/AGENT:CALL in a sub-agent: ids of calls are unique within one message only. The plugin puts
// it into the arguments while the call runs, so that neither the database nor the model gets it.
func note(ev harnesses.Event) string {
	if ev.ID == "" {
		return ""
	}
	who := ev.Session
	if ev.Agent != "" {
		who += "/" + ev.Agent
	}
	return who + ":" + ev.ID
}
