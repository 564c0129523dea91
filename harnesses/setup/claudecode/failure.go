package claudecode

import (
	"wsi/harnesses/setup"
)

// onFailure is what a failure of a hook does, since 2.1.295. Older versions ignore it, and so does every version for prompts and
// agents. For tools of servers, any value but "continue" means "block" (2.1.330).
var onFailure = setup.Field{Name: "onFailure", Want: setup.Want{Name: `"continue" or "block"`, Is: func(v any) bool { return v == "continue" || v == "block" }}}

// guarded are the events under which "block" blocks something, and what (2.1.330). Under others it is ignored, or only reported.
// Those after TaskCreated were not tried: the program itself lists them with the rest.
var guarded = map[string]string{
	"PreToolUse": "the call", "PermissionRequest": "the call", "PostToolBatch": "the turn", "UserPromptSubmit": "the prompt",
	"UserPromptExpansion": "the prompt", "TaskCreated": "the task", "PreCompact": "the compaction", "PreModelSwitch": "the switch",
	"ConfigChange": "the change", "Elicitation": "the answer", "ElicitationResult": "the answer",
}

// failure returns what a failure of a hook does, the zero value if its entry does not say.
func failure(h *setup.Hook) setup.Failure {
	said, there := h.Fields[onFailure.Name]
	open := setup.Failure{Fails: "open", How: "a failure of the hook blocks nothing"}
	what, guards := guarded[h.Event]
	switch {
	case !there:
		return setup.Failure{}
	case said == "continue":
		return open
	case h.Kind == "prompt" || h.Kind == "agent":
		open.How += ": onFailure is not for type " + h.Kind
	case !guards:
		open.How += " under " + h.Event + ", whatever onFailure says"
	case h.Kind == "command" && (h.Fields["async"] == true || h.Fields["asyncRewake"] == true):
		open.How += ": it runs in the background, whatever onFailure says"
	default:
		return setup.Failure{Fails: "closed", How: "a failure of the hook blocks " + what}
	}
	return open
}
