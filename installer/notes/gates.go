package notes

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

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
