package live

import (
	"fmt"
	"regexp"
)

// Scripts are what the model says, by name. The prompt of a run, or of a sub-agent, names one.
type Scripts map[string]Script

// Script is a conversation: one turn per answer of the model.
type Script []Turn

// Turn is one answer: calls made at once. An empty one ends the conversation.
type Turn []Call

// Call is one tool call of the model's.
type Call struct {
	Tool string // a tool of the server
	Args string // raw JSON object
	Sub  string // instead of a tool: start a sub-agent with this script and wait for it
}

func marker(name string) string { return "[[script:" + name + "]]" }

var markers = regexp.MustCompile(`\[\[script:([\w-]+)\]\]`)

// named returns the script that a text names last, "" if it names none.
func named(text string) string {
	all := markers.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
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
