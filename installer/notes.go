package installer

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
)

// wired is a harness that a plan changes, and how it will be wired.
type wired struct {
	harnesses.Harness

	way harnesses.Mode
}

// changedBy returns the harnesses that a plan changes, in their order.
func (p Plan) changedBy(o Options) (all []wired) {
	for _, h := range o.Harnesses {
		changes := func(c Change) bool { return c.Harness == h.ID }
		if way := p.Modes[h.ID]; way != "" && slices.ContainsFunc(p.Changes, changes) {
			all = append(all, wired{h, way})
		}
	}
	return all
}

// restart names the harnesses that notice nothing before their next start.
func restart(changed []wired) []Note {
	var names []string
	for _, h := range changed {
		if h.Restart != "" || h.way != harnesses.ByHooks && len(h.AfterwardsBy(h.way)) == 0 {
			names = append(names, h.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []Note{{Text: "Restart " + listed(names) + ": running sessions keep the hooks and servers that they started with."}}
}

// afterwards is what else a user must do, or wait for, once all is written.
func afterwards(o Options, changed []wired) (notes []Note) {
	for _, h := range changed {
		for _, text := range h.AfterwardsBy(h.way) {
			notes = append(notes, Note{Harness: h.ID, Text: text})
		}
	}
	return append(notes, lacking(o, changed)...)
}

// lacking names the servers that harnesses do not have. Those with the same way out are in one sentence.
func lacking(o Options, changed []wired) (notes []Note) {
	type lack struct{ server, way string }
	var order []lack
	ruled := false
	who := map[lack][]wired{}
	for _, h := range changed {
		p, err := h.Find(o.Env)
		if err != nil {
			notes = append(notes, Note{Harness: h.ID, Text: h.Name + "'s MCP servers could not be read: " + oneLine(err.Error())})
			continue
		}
		ruled = ruled || len(o.ruled(p)) > 0
		for _, s := range o.program(h.Harness, holds(o.Env, h.Harness, o.Scope)).Servers {
			if slices.ContainsFunc(p.Servers, func(known harnesses.Server) bool { return known.Name == s }) {
				continue
			}
			l := lack{s, "register it, or name yours with --server"}
			if other := Suggest(p.Servers); other != "" {
				as := o.rulesFor([]string{other}, nil, nil)[other]
				l.way = "if yours is " + other + ", run wsi setup --server " + harnesses.Quote(o.Env.GOOS, harnesses.ServerWord(other, as))
			}
			if who[l] == nil {
				order = append(order, l)
			}
			who[l] = append(who[l], h)
		}
	}
	for _, l := range order {
		n, format := Note{}, "%s have no MCP server named %s in their configurations: %s."
		var names []string
		for _, h := range who[l] {
			names = append(names, h.Name)
		}
		if len(names) == 1 {
			n.Harness, format = who[l][0].ID, "%s has no MCP server named %s in its configuration: %s."
		}
		n.Text = fmt.Sprintf(format, listed(names), l.server, l.way)
		notes = append(notes, n)
	}
	if len(order) > 0 && o.Keep && !ruled && o.RuledFor != nil {
		notes = append(notes, Note{Text: "wsi has rules for servers named " + listed(o.RuledFor) + "."})
	}
	return notes
}

// overall is what is good to know of several harnesses at once: what would be stronger, and what was not tried.
func overall(changed []wired) (notes []Note) {
	stronger, why, untried := map[harnesses.Mode][]string{}, "", []string(nil)
	for _, h := range changed {
		if best := h.Strongest(); best.Way != h.way {
			stronger[best.Way], why = append(stronger[best.Way], h.Name), best.Why
		}
		if len(h.Measured) == 0 && len(h.NotesBy(h.way)) > 0 {
			untried = append(untried, h.Name)
		}
	}
	var ways []string
	for _, way := range harnesses.Modes {
		if names := stronger[way]; names != nil {
			ways = append(ways, "--wiring "+string(way)+" for "+listed(names))
		}
	}
	if len(changed) == 1 && ways != nil {
		ways[0] += ", for " + why
	}
	if ways != nil {
		notes = append(notes, Note{Kind: Caveat, Text: "Stronger, as far as it was tried: " + strings.Join(ways, "; ") + ". It changes how the server is registered."})
	}
	if untried != nil {
		notes = append(notes, Note{Kind: Caveat, Text: "Not yet proven with the program itself: what wsi knows of " + listed(untried) + " comes from the documentation."})
	}
	return notes
}

// inTurn is what is good to know of each harness, one note of each after the other.
func inTurn(changed []wired) (notes []Note) {
	var rows [][]Note
	for _, h := range changed {
		var row []Note
		for _, text := range h.NotesBy(h.way) {
			if len(h.Measured) > 0 || !strings.HasPrefix(text, "Not yet ") { // said of all of them
				row = append(row, Note{Harness: h.ID, Kind: Caveat, Text: text})
			}
		}
		if is, ok := h.Choice(h.way); ok && is.Why != "" {
			row = append(row, Note{Harness: h.ID, Kind: Caveat, Text: h.Name + " is wired by " + string(h.way) + ": " + is.Why + "."})
		}
		rows = append(rows, row)
	}
	for i := 0; len(rows) > 0; i++ {
		rows = slices.DeleteFunc(rows, func(row []Note) bool { return i >= len(row) })
		for _, row := range rows {
			notes = append(notes, row[i])
		}
	}
	return notes
}

// listed writes names as one reads them.
func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
