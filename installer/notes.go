package installer

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/internal/phrase"
)

// wired is a harness that a plan changes, with its mode.
type wired struct {
	setup.Harness

	mode setup.Mode
}

// changedBy returns the harnesses that a plan changes, in their order.
func (p Plan) changedBy(o Options) (all []wired) {
	for _, h := range o.Harnesses {
		changes := func(c Change) bool { return c.Harness == h.ID }
		if mode := p.Modes[h.ID]; mode != "" && slices.ContainsFunc(p.Changes, changes) {
			all = append(all, wired{h, mode})
		}
	}
	return all
}

// restart lists the harnesses that must be restarted.
func restart(changed []wired) []notes.Note {
	var names []string
	for _, h := range changed {
		if h.Texts.Restart != "" || h.mode != setup.ByHooks && len(h.AfterwardsBy(h.mode)) == 0 {
			names = append(names, h.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []notes.Note{{Text: "Restart " + notes.List(names) + ": running sessions keep the hooks and servers that they started with."}}
}

// afterwards returns what else the user must do, or wait for, after Apply.
func afterwards(o Options, changed []wired) (all []notes.Note) {
	for _, h := range changed {
		for _, text := range h.AfterwardsBy(h.mode) {
			all = append(all, notes.Note{Harness: h.ID, Text: text})
		}
	}
	return append(all, lacking(o, changed)...)
}

// lacking reports servers that harnesses do not have. Harnesses with the same hint share a sentence.
func lacking(o Options, changed []wired) (all []notes.Note) {
	type lack struct{ server, fix string }
	var order []lack
	ruled := false
	who := map[lack][]wired{}
	for _, h := range changed {
		p, err := h.Find(o.Env)
		if err != nil {
			all = append(all, notes.Note{Harness: h.ID, Text: h.Name + "'s MCP servers could not be read: " + phrase.OneLine(err.Error())})
			continue
		}
		ruled = ruled || len(o.ruled(p)) > 0
		now, _ := o.registered(h.Harness)
		for _, s := range o.program(h.Harness, now).Servers {
			if slices.ContainsFunc(p.Servers, func(known setup.Server) bool { return known.Name == s }) {
				continue
			}
			l := lack{s, "register it, or name yours with --server"}
			if other := inspect.Suggest(p.Servers); other != "" {
				as := o.rulesFor([]string{other}, nil, nil)[other]
				l.fix = "if yours is " + other + ", run wsi setup --server " + setup.Quote(o.Env.GOOS, harnesses.ServerWord(other, as))
			}
			if who[l] == nil {
				order = append(order, l)
			}
			who[l] = append(who[l], h)
		}
	}
	for _, l := range order {
		n, format := notes.Note{}, "%s have no MCP server named %s in their configurations: %s."
		var names []string
		for _, h := range who[l] {
			names = append(names, h.Name)
		}
		if len(names) == 1 {
			n.Harness, format = who[l][0].ID, "%s has no MCP server named %s in its configuration: %s."
		}
		n.Text = fmt.Sprintf(format, notes.List(names), l.server, l.fix)
		all = append(all, n)
	}
	if len(order) > 0 && o.Keep && !ruled && o.RuledFor != nil {
		all = append(all, notes.Note{Text: "wsi has rules for servers named " + notes.List(o.RuledFor) + "."})
	}
	return all
}

// overall returns notes about several harnesses at once: more reliable modes, and harnesses that were not tested.
func overall(changed []wired) (all []notes.Note) {
	stronger, why, untried := map[setup.Mode][]string{}, "", []string(nil)
	for _, h := range changed {
		if best := h.Strongest(); best.Mode != h.mode {
			stronger[best.Mode], why = append(stronger[best.Mode], h.Name), best.Why
		}
		if len(h.Measured) == 0 && len(h.NotesBy(h.mode)) > 0 {
			untried = append(untried, h.Name)
		}
	}
	var modes []string
	for _, mode := range setup.Modes {
		if names := stronger[mode]; names != nil {
			modes = append(modes, "--wiring "+string(mode)+" for "+notes.List(names))
		}
	}
	if len(changed) == 1 && modes != nil {
		modes[0] += ", because " + why
	}
	if modes != nil {
		all = append(all, notes.Note{Kind: notes.Caveat, Text: "More reliable: " + strings.Join(modes, "; ") + ". It changes how the server is registered, so it is opt-in."})
	}
	if untried != nil {
		all = append(all, notes.Note{Kind: notes.Caveat, Text: "Not yet tested with the program itself: what wsi knows of " + notes.List(untried) + " comes from the documentation."})
	}
	return all
}

// inTurn returns the notes about each harness, interleaved: the first of each, then the second of each.
func inTurn(changed []wired) (all []notes.Note) {
	var rows [][]notes.Note
	for _, h := range changed {
		var row []notes.Note
		for _, text := range h.NotesBy(h.mode) {
			if len(h.Measured) > 0 || !strings.HasPrefix(text, "Not yet ") { // overall says that
				row = append(row, notes.Note{Harness: h.ID, Kind: notes.Caveat, Text: text})
			}
		}
		if is, ok := h.Choice(h.mode); ok && is.Why != "" {
			row = append(row, notes.Note{Harness: h.ID, Kind: notes.Caveat, Text: h.Name + " is wired by " + string(h.mode) + ": " + is.Why + "."})
		}
		rows = append(rows, row)
	}
	for i := 0; len(rows) > 0; i++ {
		rows = slices.DeleteFunc(rows, func(row []notes.Note) bool { return i >= len(row) })
		for _, row := range rows {
			all = append(all, row[i])
		}
	}
	return all
}
