package live

import "time"

// Scenarios are all that a wired harness is tried with.
var Scenarios = []Scenario{
	{
		Name: "carry, fail, call twice at once, resume",
		Scripts: Scripts{
			"first": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "get_workflow", Args: `{}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Tool: "get_activity", Args: `{}`}, {Tool: "get_workflow_status", Args: `{}`}},
				{{Tool: "get_activity", Args: `{"session_token":"<session_token>"}`}},
			},
			"resumed": {
				{{Tool: "get_activity", Args: `{}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"build"}`}},
			},
		},
		Runs: [][]string{{"first"}, {"resumed"}}, Resume: true,
		Not: []string{"opencode/relay"},
	},
	callsAtOnce,
	{
		Name:  "a server that ends after every second call",
		Flags: []string{"-end-after", "2"},
		// A call that reaches a server which is about to exit is lost, with or without wsi: Claude Code 2.1.330 calls
		// within 40 ms if its model answers at once.
		Pause: time.Second,
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "get_activity", Args: `{}`}},
		}},
		Runs: [][]string{{"main"}},
		Not:  []string{"codex", "opencode"}, // they do not start it again
	},
	{
		Name: "two sessions at once",
		Scripts: Scripts{
			"left":  {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
			"right": {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"left", "right"}},
	},
	subAgents("sub-agents", nil, false, "opencode/relay"),
	{
		Name:  "errors that change the token",
		Flags: []string{"-rotate-on-error"},
		Scripts: Scripts{"errors": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
		}},
		Runs: [][]string{{"errors"}},
		Not:  []string{"opencode/hooks"},
	},
	{
		Name: "odd arguments",
		Scripts: Scripts{"odd": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "health_check", Args: oddArguments}},
			{{Tool: "get_workflow", Args: oddArguments}},
			{{Tool: "get_workflow", Args: oddArguments}},
		}},
		Runs: [][]string{{"odd"}},
	},
	orchestrator("orchestrator and worker", "", "opencode/relay"),
	orchestrator("orchestrator and worker, with aliases", aliases, "codex/hooks", "opencode/relay"),
	{
		Name:  "mistyped", // a damaged copy is a value in the conversation, too: it counts
		Flags: []string{"-place", "meta,text"}, Shown: true,
		Scripts: Scripts{"mistyped": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{"session_token":"@1~"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design","session_token":"'@3'"}`}},
			{{Tool: "get_workflow", Args: `{"session_token":" @4~"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
		}},
		Runs: [][]string{{"mistyped"}},
	},
	shownIn("text", true),
	shownIn("structured", true),
	shownIn("block-meta", false),
}

// callsAtOnce is a server whose tools are read-only, so that harnesses make calls at the same time.
var callsAtOnce = Scenario{
	Name:  "read-only tools at once",
	Flags: []string{"-readonly"},
	Scripts: Scripts{"main": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}, {Tool: "get_activity", Args: `{}`}}, // the same, for they may come in any order
		{{Tool: "get_activity", Args: `{}`}},
	}},
	Runs: [][]string{{"main"}},
	Not:  []string{"claude-code/hooks", "codex/hooks"},
}

// shownIn is a server that shows the token in one place, and not in the result's _meta.
func shownIn(place string, shown bool) Scenario {
	return Scenario{
		Name: "token only in " + place, Flags: []string{"-place", place}, Shown: shown,
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
		}},
		Runs: [][]string{{"main"}},
	}
}

// oddArguments change when they are decoded and encoded again.
const oddArguments = `{"note":{"z":9007199254740993,"a":1.0,"m":1e300,"s":"\u00e9\/<\u2028>\ud83d\ude00","":[],"e":{},"n":null}}`

// SubAgentsInText is the sub-agent scenario for harnesses that keep a result's _meta of sub-agents
// from every hook (Claude Code 2.1.197): there the value must be in the text.
var SubAgentsInText = subAgents("sub-agents, token in the text", []string{"-place", "meta,text"}, true)

func subAgents(name string, flags []string, shown bool, not ...string) Scenario {
	return Scenario{
		Name: name, Flags: flags, Shown: shown, Not: not,
		Scripts: Scripts{
			"main": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Sub: "helper"}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Sub: "worker"}},
				{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			},
			// works with the main agent's session
			"helper": {{{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow_status", Args: `{}`}}},
			// has a session of its own
			"worker": {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"main"}},
	}
}

const aliases = "[[carry]]\nname = 'workflow-server token'\n[carry.alias]\nmode = 'on'\n"

// orchestrator opens a child's session and hands its value to a sub-agent in the prompt, as the
// workflow-server's own procedure has it; then each goes on with its own.
func orchestrator(name, rules string, not ...string) Scenario {
	return Scenario{
		Name: name, Rules: rules, Shown: rules == "", Not: not, Flags: []string{"-place", "meta,text"},
		Scripts: Scripts{
			"main": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "start_session", Args: `{"agent_id":"child","parent_session_token":"@1"}`}},
				{{Sub: "worker", Say: "Session token: @2"}},
				{{Tool: "next_activity", Args: `{"activity_id":"design","session_token":"@1"}`}},
				{{Sub: "reader"}},
				{{Tool: "get_workflow_status", Args: `{}`}},
			},
			"worker": {
				{{Tool: "start_session", Args: `{"session_token":"@1"}`}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"build"}`}},
				{{Tool: "get_activity", Args: `{"session_token":"auto"}`}},
			},
			// works with the main agent's session
			"reader": {{{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"main"}},
	}
}
