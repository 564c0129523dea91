// Package notes says what a user must know about a setup: what interferes with the hooks of wsi, and what a harness needs
// to run them.
//
// It only reads files. It must not know what a plan is.
package notes

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/lists"
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

// Gates returns why the harness would skip the hooks that the files register: switches and policies as
// remarks, a missing approval as something to do.
func Gates(o Setup) []Note {
	env, h := o.Env, o.Harness
	if h.Hooks.Policy == nil {
		return nil
	}
	w, err := h.Wiring(inspect.InScope(env, h, o.Scope), o.Scope, o.Program)
	if err != nil {
		return []Note{{Harness: h.ID, Text: err.Error()}}
	}
	var notes []Note
	files := append(w.Hooks, lists.Map(w.Owned, func(wf setup.OwnedFile) setup.HookFile { return setup.HookFile{Path: wf.Path} })...)
	for _, hf := range files {
		var closed []setup.Reason
		content, err := env.ReadFile(hf.Path)
		if err == nil {
			closed, err = h.Hooks.Policy(env, hf, content)
		}
		for _, c := range closed {
			n := Note{Harness: h.ID, Gate: true, Text: h.Name + ": " + c.Why + ". To change that", Command: c.Command}
			switch {
			case c.Flag != "":
				n.Text, n.Command = h.Name+": "+c.Why+". Either "+c.Fix+", or type", o.command("setup")+" "+c.Flag
			case c.Command == "":
				n.Text += ": " + c.Fix + "."
			}
			if c.Off {
				n.Kind = Remark
			}
			if !slices.Contains(notes, n) { // one file can be of both scopes
				notes = append(notes, n)
			}
		}
		if err != nil {
			notes = append(notes, Note{Harness: h.ID, Gate: true, Text: h.Name + " may not run these hooks: " + strings.Join(strings.Fields(err.Error()), " ")})
		}
	}
	return notes
}
