package handles

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Server is what an agent's session knows of a server.
type Server struct {
	Name  string // as registered
	Agent string // "" for the main agent
	*Memory
}

// Alias is what the model reads instead of a value that is kept from it.
type Alias struct {
	Server, Text string
}

// Limits of a list.
const (
	maxListLines = 12
	maxListBytes = 1024
)

// List returns a reference list of the ids that a conversation may have lost, "" if there are none: those that the
// model itself passed, and those that a tool made and nothing closed since, the newest first. It has nothing of
// what servers said but ids and names made of letters, digits, "_", "-" and ".".
func List(servers []Server, aliases ...Alias) string {
	type line struct {
		server string
		*Handle
	}
	var all []line
	for _, a := range aliases {
		all = append(all, line{a.Server, &Handle{ID: a.Text, Last: math.MaxInt}})
	}
	for _, s := range servers {
		for i := range s.Handles {
			if h := &s.Handles[i]; !h.Closed && (h.Uses > 0 || h.Made) && nameOf(s.Name) != "" {
				all = append(all, line{s.Name, h})
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b line) int { return b.Last - a.Last })
	var list strings.Builder
	list.WriteString("wsi: ids seen earlier in this conversation, for reference; nothing to do:\n")
	for i, l := range all {
		text := fmt.Sprintf("- %s (%s)\n", l.ID, l.about(l.server))
		if i+1 == maxListLines || list.Len()+len(text) > maxListBytes {
			break
		}
		list.WriteString(text)
	}
	return list.String()
}

// about says what an id is: server, tool and member, as far as they are known.
func (h *Handle) about(server string) string {
	text := server
	if h.Tool != "" {
		text += " " + h.Tool
	}
	if h.Field != "" {
		text += ", " + h.Field
	}
	return text
}
