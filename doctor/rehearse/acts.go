package rehearse

import "wsi/internal/refserver"

// actor makes calls, which belong to one chain of values.
type actor struct {
	chain, session, agent string
}

type scene struct {
	what string // named in a failure
	actor
	tool, args string
	atOnce     bool // the next call begins before this one ends
}

var (
	first  = actor{chain: "first", session: "1"}
	second = actor{chain: "second", session: "2"}
	helper = actor{chain: "first", session: "1", agent: "agent1"}  // a sub-agent in the main agent's session
	worker = actor{chain: "worker", session: "1", agent: "agent2"} // a sub-agent with a session of its own
)

// act is a script and its kind of server. Each act has its own sessions: the transcripts of earlier ones still exist.
type act struct {
	name   string
	where  string // in a failure: what is special about the server
	server refserver.Options
	script []scene
	tail   bool // depends only on wsi, not on how a harness runs it
}

// core is played with the commands from the harness's files, as the harness runs them.
var core = act{
	name: "a", where: "with the value in _meta and in the text", script: coreScript,
	server: refserver.Options{Places: []refserver.Place{refserver.Meta, refserver.Text}},
}

const inMeta = "with the value only in _meta"

// tails are acts with servers that put the value into _meta, which some harnesses hide.
var tails = []act{
	{"b", inMeta, refserver.Options{}, fullScript, true},
	{"d", "with a result of 300 KB", refserver.Options{Padding: 300 << 10}, shortScript, true}, // more than is read of a transcript at first
	{"e", "with calls at the same time", refserver.Options{}, atOnceScript, true},
}

// inText has a server with the value in the text, which models read.
var inText = act{"f", "with the value only in the text", refserver.Options{Places: []refserver.Place{refserver.Text}}, agentScript, true}

// indexed has the other generation of the server, whose value is in the text and never changes.
var indexed = act{"j", "with a session_index", refserver.Options{Index: true}, agentScript, true}

// coreScript is short, because each call runs two programs or more.
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
	{what: "the main agent's call while a sub-agent has a session", actor: first, tool: "next_activity", args: `{"activity_id":"build"}`},
	{what: "another call of the sub-agent", actor: worker, tool: "get_activity", args: `{}`},
}

var shortScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first call", actor: first, tool: "get_workflow", args: `{}`},
}

// agentScript has a sub-agent in the main agent's session, and one with a session of its own.
var agentScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the main agent's call", actor: first, tool: "get_workflow", args: `{}`},
	{what: "a sub-agent's call in the main agent's session", actor: helper, tool: "get_activity", args: `{}`},
	{what: "the main agent's call after a sub-agent's", actor: first, tool: "get_activity", args: `{}`},
	{what: "a sub-agent begins a session of its own", actor: worker, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "a sub-agent's call in its own session", actor: worker, tool: "get_activity", args: `{}`},
	{what: "the main agent's call while a sub-agent has a session", actor: first, tool: "next_activity", args: `{"activity_id":"build"}`},
}

// atOnceScript makes calls at once, as harnesses do with read-only tools (Claude Code, Codex) or with all calls in one
// message (OpenCode). Of two calls with the same value, one is always too late. The call after them must be right.
var atOnceScript = []scene{
	{what: "a session begins", actor: first, tool: "start_session", args: `{"workflow_id":"demo"}`},
	{what: "the first of two calls at once", actor: first, tool: "get_workflow", args: `{}`, atOnce: true},
	{what: "the second of two calls at once", actor: first, tool: "get_activity", args: `{}`},
	{what: "the call after two at once", actor: first, tool: "get_activity", args: `{}`},
}
