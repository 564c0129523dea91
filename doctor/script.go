package doctor

import "wsi/internal/refserver"

// actor is who makes a call, and the chain of values that its calls belong to.
type actor struct{ chain, session, agent string }

// scene is one call of a rehearsal.
type scene struct {
	what string // as it is told if it goes wrong
	actor
	tool, args string
}

var (
	first  = actor{"first", "1", ""}
	second = actor{"second", "2", ""}
	helper = actor{"first", "1", "agent1"}  // a sub-agent in the main agent's session
	worker = actor{"worker", "1", "agent2"} // a sub-agent with a session of its own
)

// act is a script and the kind of server that it is played with. Sessions of one act are not those
// of another: their transcripts are still there.
type act struct {
	name   string
	where  string // the server puts the value
	server refserver.Options
	script []scene
}

// acts are the parts of a rehearsal.
var acts = struct{ meta, errors, text act }{
	meta:   act{"a", "the value being in _meta alone", refserver.Options{}, fullScript},
	errors: act{"b", "the value being in _meta alone", refserver.Options{RotateOnError: true}, errorScript},
	text:   act{"c", "the value being in the text alone", refserver.Options{Places: []refserver.Place{refserver.Text}}, fullScript},
}

// fullScript is for a server that, like the workflow-server, hands out no value with an error.
var fullScript = []scene{
	{"a session begins", first, "start_session", `{"workflow_id":"demo"}`},
	{"the first call", first, "get_workflow", `{}`},
	{"the second call", first, "next_activity", `{"activity_id":"design","note":"a<b & \"q\" é","n":9007199254740993,"deep":{"list":[1,2.50]}}`},
	{"the third call", first, "get_activity", `{ "context_tokens" : 1 }`},
	{"a call with a placeholder typed by the model", first, "get_activity", `{"session_token":"<session_token>"}`},
	{"a call that fails", first, "next_activity", `{"activity_id":"no-such-activity"}`},
	{"the call after one that failed", first, "get_activity", `{}`},
	{"another session begins", second, "start_session", `{"workflow_id":"demo"}`},
	{"a call of the other session", second, "get_activity", `{}`},
	{"a call of the first session in between", first, "get_activity", `{}`},
	{"another call of the other session", second, "get_workflow", `{}`},
	{"a sub-agent's call in the main agent's session", helper, "get_activity", `{}`},
	{"the main agent's call after a sub-agent's", first, "get_activity", `{}`},
	{"a sub-agent begins a session of its own", worker, "start_session", `{"workflow_id":"demo"}`},
	{"a sub-agent's call in its own session", worker, "get_activity", `{}`},
	{"the main agent's call beside a sub-agent's session", first, "next_activity", `{"activity_id":"build"}`},
	{"another call of the sub-agent", worker, "get_activity", `{}`},
}

// errorScript is for a server that hands out a new value with an error too.
var errorScript = []scene{
	{"a session begins", first, "start_session", `{"workflow_id":"demo"}`},
	{"a call that fails", first, "next_activity", `{"activity_id":"no-such-activity"}`},
	{"the call after one that failed and changed the value", first, "get_activity", `{}`},
}
