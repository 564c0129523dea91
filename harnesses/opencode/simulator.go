package opencode

import (
	"encoding/json"
	"errors"
	"fmt"

	"wsi/harnesses"
	"wsi/internal/rawjson"
)

// Simulator simulates wsi's plugin in OpenCode 1.18.33.
type Simulator struct{}

// event is what the plugin writes, with members in that order.
type event struct {
	Event   string          `json:"event"`
	Session string          `json:"sessionID"`
	Root    string          `json:"rootID"`
	ID      string          `json:"callID"`
	Server  string          `json:"server"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func newEvent(p harnesses.ToolCall, kind string) event {
	e := event{Event: kind, Session: p.Session, Root: p.Session, ID: p.ID, Server: p.Server, Args: p.Args}
	e.Tool = harnesses.SafeName(p.Server+"_"+p.Tool, harnesses.WordOrHyphen)
	if p.Agent != "" {
		e.Session = p.Agent
	}
	return e
}

// Before returns the event before a call.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	return harnesses.JSONLine(newEvent(p, "before"))
}

// After returns the event after a call: the whole result or, for an error, only its text.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	e := newEvent(p, "after")
	if r := harnesses.ParseToolResult(result); r.IsError {
		e.Event, e.Error = "failed", r.Text()
	} else {
		e.Result = result
	}
	return harnesses.JSONLine(e)
}

// Transcript returns nil: OpenCode keeps its sessions in a database.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

// Apply returns the arguments after the plugin has assigned the members of "set".
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	if exit != 0 {
		return nil, fmt.Errorf("wsi exited with status %d, so the plugin ignores its answer", exit)
	}
	if len(stdout) == 0 {
		return p.Args, nil
	}
	answer, err := rawjson.Object(stdout)
	if err != nil {
		return nil, errors.New("the answer is not a JSON object, so the plugin ignores it")
	}
	if _, refuses := rawjson.Unquote(answer.Get("deny")); refuses {
		return nil, fmt.Errorf("%w: the plugin throws on deny, which stops it", harnesses.ErrDenied)
	}
	if _, tells := rawjson.Unquote(answer.Get("tell")); tells && answer.Get("set") == nil {
		return p.Args, nil
	}
	set, err := rawjson.Object(answer.Get("set"))
	if err != nil {
		return nil, errors.New("the answer has no object named set, so the plugin ignores it")
	}
	args := p.Args
	for _, m := range set {
		key, _ := rawjson.Unquote(m.Key)
		if args, err = assign(args, key, m.Value); err != nil {
			return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	return args, nil
}

// assign sets one member of a raw object, like an assignment in JavaScript.
func assign(object []byte, key string, value []byte) ([]byte, error) {
	members, err := rawjson.Object(object)
	if err != nil {
		return nil, err
	}
	var out []byte
	for i := len(members) - 1; i >= 0; i-- {
		if m := members[i]; m.Is(key) {
			return append(append(append(out, object[:m.Start]...), value...), object[m.End:]...), nil
		}
	}
	end := len(object) - 1
	for object[end] != '}' {
		end--
	}
	out = append(out, object[:end]...)
	if len(members) > 0 {
		out = append(out, ',')
	}
	return append(append(append(append(out, rawjson.Quote(key)...), ':'), value...), object[end:]...), nil
}

// Shell returns the words of a command: the plugin runs wsi without a shell.
func (Simulator) Shell(_, command string) []string {
	r, ok := harnesses.ParseCommand(command)
	if !ok {
		return nil
	}
	words := []string{r.Path, r.Verb, "--harness", r.Harness}
	for _, s := range r.Servers {
		words = append(words, "--server", harnesses.ServerWord(s, r.As[s]))
	}
	if r.Join {
		words = append(words, "--join")
	}
	return words
}
