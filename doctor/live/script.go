package live

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Scripts are what the model says, by name. The prompt of a run, or of a sub-agent, names one.
type Scripts map[string]Script

// Script is a conversation: one turn per answer of the model.
type Script []Turn

// Turn is one answer: calls made at once. An empty one ends the conversation.
type Turn []Call

// Call is one tool call of the model.
type Call struct {
	Tool string // a tool of the server
	Args string // raw JSON object; a label is put before its members
	Sub  string // instead of a tool: start a sub-agent with this script and wait for it
	Say  string // what the sub-agent is told in addition
	Bare bool   // no label: the server takes no argument that it does not know
}

// arguments returns the arguments that the model types in a script. They contain the script's name, so that the
// server's ledger identifies the call. A session is labelled too, by its agent_id.
func (c Call) arguments(script string) string {
	if c.Bare {
		return c.Args
	}
	members := `"label":` + string(mustJSON(script))
	if c.Tool == opening && !strings.Contains(c.Args, `"agent_id"`) {
		members += `,"agent_id":` + string(mustJSON(script))
	}
	if rest := strings.TrimPrefix(c.Args, "{"); rest != "}" {
		return "{" + members + "," + rest
	}
	return "{" + members + "}"
}

func (c Call) prompt() string {
	return strings.TrimSpace("Work through the script. " + marker(c.Sub) + " " + c.Say)
}

const opening = "start_session"

func marker(name string) string { return "[[script:" + name + "]]" }

var markers = sync.OnceValue(func() *regexp.Regexp { // not before main: the hook would pay for it
	return regexp.MustCompile(`\[\[script:([\w-]+)\]\]`)
})

// named returns the script that a text names last, "" if it names none.
func named(text string) string {
	all := markers().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

func (s Script) tools() []string {
	var names []string
	for _, turn := range s {
		for _, c := range turn {
			if c.Tool != "" {
				names = append(names, c.Tool)
			}
		}
	}
	return names
}

// turn returns the n-th turn of a script, an empty one past its end.
func (s Scripts) turn(name string, n int) Turn {
	if t := s[name]; n < len(t) {
		return t[n]
	}
	return nil
}

// callID is unique over a run, as a model's are.
func callID(script string, turn, i int) string { return fmt.Sprintf("call_%s_%d_%d", script, turn, i) }
