// Package notes says what a user must know about a setup: what interferes with the hooks of wsi, and what a harness needs
// to run them.
//
// It only reads files. It must not know what a plan is.
package notes

import (
	"wsi/harnesses/setup"
	"wsi/internal/phrase"
)

// Note is something that a user must know about a setup or removal.
type Note struct {
	Harness string `json:"harness"`           // id, "" if it is about all of them
	Text    string `json:"text"`              // a sentence
	Command string `json:"command,omitempty"` // to be typed, after the text
	Kind    Kind   `json:"-"`
	Gate    bool   `json:"-"` // it is why the harness would skip the hooks: the doctor finds the same as hook.trusted
}

// ToDo returns a note with its command.
func (n Note) ToDo() phrase.Fix { return phrase.Fix{Text: n.Text, Command: n.Command} }

// Kind says when a note matters.
type Kind string

// The kinds of notes.
const (
	Left   Kind = ""       // to do after the plan is applied
	Remark Kind = "remark" // to know before the plan is applied
	Caveat Kind = "caveat" // good to know about a harness that is changed
)

// Setup is what wsi registers, or will register, with one harness.
type Setup struct {
	Env     setup.Env
	Harness setup.Harness
	Scope   setup.Scope
	Program setup.Program
}

// command returns what the user types to run a verb of wsi for the harness and scope.
func (s Setup) command(verb string) string {
	line := "wsi " + verb + " --harness " + s.Harness.ID
	if s.Scope == setup.Project {
		line += " --scope project"
	}
	return line
}
