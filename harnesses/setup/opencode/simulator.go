package opencode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
)

// Simulator simulates wsi's plugin in OpenCode 1.18.33, which keeps its sessions in a database.
type Simulator struct{ setup.NoTranscript }

// event returns what the plugin writes, with members in that order, and at the end those of after.
func event(p setup.ToolCall, name string, after ...any) []byte {
	return setup.JSONLine(slices.Concat(setup.Object{
		"event", name, "sessionID", cmp.Or(p.Agent, p.Session), "rootID", p.Session, "callID", p.ID,
		"server", p.Server, "tool", harnesses.SafeName(p.Server+"_"+p.Tool, harnesses.WordOrHyphen), "args", p.Args,
	}, after))
}

// Before returns the event before a call.
func (Simulator) Before(p setup.ToolCall) []byte { return event(p, "before") }

// After returns the event after a call: the whole result or, for an error, only its text.
func (Simulator) After(p setup.ToolCall, result []byte) []byte {
	if r := setup.ParseToolResult(result); r.IsError {
		return event(p, "failed", "error", r.Text())
	}
	return event(p, "after", "result", result)
}

// Apply returns the arguments after the plugin has assigned the members of "set".
func (Simulator) Apply(p setup.ToolCall, stdout []byte, exit int) ([]byte, error) {
	if exit != 0 {
		return nil, fmt.Errorf("wsi exited with status %d, so the plugin ignores its answer", exit)
	}
	if len(stdout) == 0 {
		return p.Args, nil
	}
	answer, err := jsonraw.Object(stdout)
	if err != nil {
		return nil, errors.New("the answer is not a JSON object, so the plugin ignores it")
	}
	if _, refuses := jsonraw.Unquote(answer.Get("deny")); refuses {
		return nil, fmt.Errorf("%w: the plugin throws on deny, which stops it", setup.ErrDenied)
	}
	if _, tells := jsonraw.Unquote(answer.Get("tell")); tells && answer.Get("set") == nil {
		return p.Args, nil
	}
	set, err := jsonraw.Object(answer.Get("set"))
	if err != nil {
		return nil, errors.New("the answer has no object named set, so the plugin ignores it")
	}
	args := p.Args
	for _, m := range set {
		key, _ := jsonraw.Unquote(m.Key)
		if args = jsonraw.Set(args, key, m.Value); args == nil {
			return nil, errors.New("the arguments are not a JSON object")
		}
	}
	return args, nil
}

// Shell returns the words of a command: the plugin runs wsi without a shell.
func (Simulator) Shell(_ setup.Env, command string) []string {
	r, ok := setup.ParseCommand(command)
	if !ok {
		return nil
	}
	return r.Words(r.Verb, r.Harness)
}
