package relay

import (
	"strings"

	"wsi/harnesses"
	"wsi/hook/callers"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// caller identifies the session and agent of a call.
type caller struct {
	session, agent string
	agents         bool   // the agent is known, the main one included
	why            string // if not known, the reason
}

// known reports whether the call's session is known.
func (o caller) known() bool { return o.session != "" }

// identity determines the callers of calls, from what the harness sends on the wire, from notes of the hook,
// or from the environment. Once a call had a caller's name, a call without one has no known caller.
type identity struct {
	harness    string
	notes      callers.Notes
	connection caller // for a call without a caller's name
	named      bool   // a call had a caller's name
}

// sessionIn returns the session that a harness puts into the environment of its servers, "" if it puts none
// there. It does not say which agent calls. Claude Code's CLAUDE_CODE_SESSION_ID is of no session with
// --continue (2.1.197, 2.1.329), and stays what it was when /clear or /resume change the session.
func sessionIn(getenv func(string) string, harness string) string {
	switch harness {
	case "qwen-code": // 0.24.4; 0.15.10 has none
		return getenv("QWEN_CODE_SESSION_ID")
	case "copilot-cli": // 1.0.102
		return getenv("COPILOT_AGENT_SESSION_ID")
	}
	return ""
}

// newIdentity returns the identity of the calls on one connection. The name connection must be unique.
func newIdentity(harness string, notes callers.Notes, getenv func(string) string, connection string) *identity {
	i := &identity{harness: harness, notes: notes, connection: caller{session: "connection " + connection}}
	if session := sessionIn(getenv, harness); session != "" {
		i.connection = caller{session: session}
	}
	return i
}

// of returns who makes a call, and its arguments without what is for wsi in them. meta is the raw _meta of
// the call's parameters, nil without one.
func (i *identity) of(meta, args []byte) (caller, []byte, error) {
	members, err := rawjson.Object(meta)
	if err != nil {
		members = nil
	}
	var o caller
	switch i.harness {
	case "codex": // 0.169.0: in a sub-agent the thread is another than the session
		o = caller{session: members.String("sessionId"), agent: members.String("threadId")}
		if o.agent == "" {
			o.session = ""
		}
		if o.agent == o.session {
			o.agent = ""
		}
	case "claude-code":
		if id := members.String("claudecode/toolUseId"); id != "" {
			noted, ok, err := i.notes.Read(i.harness, id)
			if err != nil {
				return caller{why: "its caller's note cannot be read"}, args, err
			}
			if ok {
				o = caller{session: noted.Session, agent: noted.Agent}
			}
		}
	case "opencode":
		o.session, o.agent, args = unmark(args)
	}
	if o.known() {
		o.agents, i.named = true, true
		return o, args, nil
	}
	if i.named {
		return caller{why: "the harness does not say who makes it"}, args, nil
	}
	return i.connection, args, nil
}

// marks reports whether the harness puts a marker into the arguments of calls, whatever the tool is.
func (i *identity) usesMarker() bool { return i.harness == "opencode" }

// marker begins what the OpenCode plugin puts into harnesses.MarkArgument: wsi:SESSION:CALL, of a sub-agent
// wsi:SESSION/AGENT:CALL. An alias has no second colon.
const marker = "wsi:"

// unmark takes the marker out of a call's arguments.
func unmark(args []byte) (session, agent string, rest []byte) {
	members, err := rawjson.Object(args)
	if err != nil {
		return "", "", args
	}
	after, ok := strings.CutPrefix(members.String(harnesses.MarkArgument), marker)
	who, call, two := strings.Cut(after, ":")
	session, agent, _ = strings.Cut(who, "/")
	if !ok || !two || session == "" || call == "" || strings.ContainsAny(after, " \t\r\n") {
		return "", "", args
	}
	return session, agent, wire.Remove(args, harnesses.MarkArgument)
}
