package idlist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"wsi/internal/tui"
)

// JSON writes the list as JSON. values says whether it contains the ids themselves.
func (l List) JSON(w io.Writer, values bool) error {
	if !values {
		l.Sessions = slices.Clone(l.Sessions)
		for i, s := range l.Sessions {
			s.IDs = slices.Clone(s.IDs)
			for j := range s.IDs {
				s.IDs[j].Value = ""
			}
			l.Sessions[i] = s
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(l)
}

// Text writes the list as a table with a line for each id. values says whether it contains the ids themselves.
func (l List) Text(w io.Writer, t tui.Theme, values bool) error {
	var b bytes.Buffer // the tabwriter writes each cell by itself
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	what := "SHAPE"
	if values {
		what = "ID"
	}
	fmt.Fprintf(table, "SESSION\tHARNESS\tSERVER\tTOOL\tFIELD\t%s\tFIRST SEEN\tUSES\tLAST TOOL\tCLOSED\n", what)
	for _, s := range l.Sessions {
		for _, id := range s.IDs {
			who := s.Name
			if id.Agent {
				who += t.Glyph("›", ">") + "agent"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", who, s.Harness, id.Server, Known(id.Tool), Known(id.Field),
				id.Shown(values), Time(id.First), id.Uses, Known(id.LastTool), YesNo(id.Closed))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// Shown returns the id itself, or its form.
func (id ID) Shown(value bool) string {
	if value {
		return id.Value
	}
	return id.Form()
}

// Known returns a name, or a dash where it is not known.
func Known(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

// Time returns a time in the local time zone, to the minute.
func Time(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// YesNo returns yes or no.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
