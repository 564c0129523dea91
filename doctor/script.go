package doctor

import (
	"fmt"

	"wsi/internal/refserver"
)

// actor is who makes a call, and the chain of values that its calls belong to.
type actor struct {
	chain, session, agent string
	other                 bool // calls the server beside
}

// scene is one call of a rehearsal.
type scene struct {
	what string // as it is told if it goes wrong
	actor
	tool, args string
	atOnce     bool // the next call begins before this one ends
}

var (
	first  = actor{chain: "first", session: "1"}
	second = actor{chain: "second", session: "2"}
	helper = actor{chain: "first", session: "1", agent: "agent1"}  // a sub-agent in the main agent's session
	worker = actor{chain: "worker", session: "1", agent: "agent2"} // a sub-agent with a session of its own
	aside  = actor{chain: "aside", session: "1", other: true}      // the main agent, calling another server
)

// act is a script and the kind of server that it is played with. Sessions of one act are not those
// of another: their transcripts are still there.
type act struct {
	name   string
	where  string // what is special about the server
	server refserver.Options
	script []scene
	tail   bool // plays what differs in wsi alone: not in how a harness runs it
}

// core is played with the very commands from the harness's files, as the harness runs them.
var core = act{
	name: "a", where: "the value being in _meta and in the text", script: coreScript,
	server: refserver.Options{Places: []refserver.Place{refserver.Meta, refserver.Text}},
}

const inMeta = "the value being in _meta alone"

// tails are further acts with servers that put the value into _meta, where some harnesses hide it.
var tails = []act{
	{"b", inMeta, refserver.Options{}, fullScript, true},
	{"c", inMeta + ", of results with an error too", refserver.Options{RotateOnError: true}, errorScript, true},
	{"d", "the result being 1 MB long", refserver.Options{Padding: 1 << 20}, shortScript, true},
	{"e", "the server's calls being made at once", refserver.Options{}, atOnceScript, true},
}

// inText is an act with a server that puts it where models read it, and elsewhere are acts with servers that
// put it where models can.
var inText = act{"f", "the value being in the text alone", refserver.Options{Places: []refserver.Place{refserver.Text}}, agentScript, true}

var elsewhere = []act{
	{"g", "the value being in structured content alone", refserver.Options{Places: []refserver.Place{refserver.Structured}}, shortScript, true},
	{"h", "the value being in the _meta of a text alone", refserver.Options{Places: []refserver.Place{refserver.BlockMeta}}, shortScript, true},
}

// names are those of a server and of one beside it, if there is one.
type names struct{ server, beside string }

// oddNames are what servers can be called. A harness writes each in its own way into the names of
// tools, and there two can look alike.
var oddNames = []names{
	{"my.server", ""},
	{"my server", ""},
	{"Wörkflow", ""},
	{"WORKFLOW", ""},
	{"flow_", ""},
	{"a__b", ""},
	{"42", ""},
	{"my.server", "my_server"},
	{"flow", "flow_"},
}

// act is played with servers of such names, the i-th.
func (n names) act(i int) act {
	a := act{fmt.Sprintf("i%d", i), "the server being named " + n.server, refserver.Options{Places: []refserver.Place{refserver.Meta, refserver.Text}}, shortScript, true}
	if n.beside != "" {
		a.where += " and another one " + n.beside
		a.script = besideScript
	}
	return a
}

// coreScript is short, for every call is two programs to run or more.
var coreScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first call", actor: first, tool: "next_activity", args: `{"activity_id":"design","note":"a<b & \"q\" é","n":9007199254740993,"deep":{"list":[1,2.50]}}`},
	{what: "a call that fails", actor: first, tool: "next_activity", args: `{"activity_id":"no-such-activity"}`},
	{what: "another session begins", actor: second, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a sub-agent begins a session of its own", actor: worker, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the call after one that failed and other sessions", actor: first, tool: "get_activity", args: `{}`},
	{what: "a sub-agent's call in its own session", actor: worker, tool: "get_activity", args: `{}`},
	{what: "a call of the other session", actor: second, tool: "get_activity", args: `{}`},
}

// fullScript is for a server that, like the workflow-server, hands out no value with an error.
var fullScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first call", actor: first, tool: "get_workflow", args: `{}`},
	{what: "a call with spaces in its arguments", actor: first, tool: "get_activity", args: `{ "context_tokens" : 1 }`},
	{what: "a call with a placeholder typed by the model", actor: first, tool: "get_activity", args: `{"session_token":"<session_token>"}`},
	{what: "a call with an empty value typed by the model", actor: first, tool: "get_activity", args: `{"session_token":""}`},
	{what: "a call that fails", actor: first, tool: "next_activity", args: `{"activity_id":"no-such-activity"}`},
	{what: "the call after one that failed", actor: first, tool: "get_activity", args: `{}`},
	{what: "another session begins", actor: second, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a call of the other session", actor: second, tool: "get_activity", args: `{}`},
	{what: "a call of the first session in between", actor: first, tool: "get_activity", args: `{}`},
	{what: "another call of the other session", actor: second, tool: "get_workflow", args: `{}`},
	{what: "a sub-agent's call in the main agent's session", actor: helper, tool: "get_activity", args: `{}`},
	{what: "the main agent's call after a sub-agent's", actor: first, tool: "get_activity", args: `{}`},
	{what: "a sub-agent begins a session of its own", actor: worker, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a sub-agent's call in its own session", actor: worker, tool: "get_activity", args: `{}`},
	{what: "the main agent's call beside a sub-agent's session", actor: first, tool: "next_activity", args: `{"activity_id":"build"}`},
	{what: "another call of the sub-agent", actor: worker, tool: "get_activity", args: `{}`},
}

// errorScript is for a server that hands out a new value with an error too.
var errorScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a call that fails", actor: first, tool: "next_activity", args: `{"activity_id":"no-such-activity"}`},
	{what: "the call after one that failed and changed the value", actor: first, tool: "get_activity", args: `{}`},
}

var shortScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first call", actor: first, tool: "get_workflow", args: `{}`},
}

// besideScript is for two servers in one session.
var besideScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a session with the other server begins", actor: aside, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a call of the server", actor: first, tool: "get_workflow", args: `{}`},
	{what: "a call of the other server", actor: aside, tool: "get_workflow", args: `{}`},
	{what: "another call of the server", actor: first, tool: "get_activity", args: `{}`},
}

// agentScript has sub-agents with a session of the main agent's and of their own.
var agentScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the main agent's call", actor: first, tool: "get_workflow", args: `{}`},
	{what: "a sub-agent's call in the main agent's session", actor: helper, tool: "get_activity", args: `{}`},
	{what: "the main agent's call after a sub-agent's", actor: first, tool: "get_activity", args: `{}`},
	{what: "a sub-agent begins a session of its own", actor: worker, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a sub-agent's call in its own session", actor: worker, tool: "get_activity", args: `{}`},
	{what: "the main agent's call beside a sub-agent's session", actor: first, tool: "next_activity", args: `{"activity_id":"build"}`},
}

// atOnceScript is what harnesses make of calls of read-only tools (Claude Code, Codex) and of any in
// one message (OpenCode): of two calls with the same value one comes too late, which nobody can help;
// the call after them must be right again.
var atOnceScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first of two calls at once", actor: first, tool: "get_workflow", args: `{}`, atOnce: true},
	{what: "the second of two calls at once", actor: first, tool: "get_activity", args: `{}`},
	{what: "the call after two at once", actor: first, tool: "get_activity", args: `{}`},
}
