package rules

import (
	"fmt"
	"strings"

	"wsi/internal/lists"
)

// Error is an error at one place of a rule file.
type Error struct {
	File         string
	Line, Column int    // from 1, of what the decoder refuses, otherwise 0
	Path         string // of what is wrong, such as: rule 2 ("memory"): inject[0].argument
	What         string // what is wrong
	Write        string // what to write instead
}

func (e *Error) Error() string {
	s := e.Path + ": " + e.What
	switch {
	case e.Line > 0:
		s = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
	case e.File != "": // a built-in rule has none
		s = e.File + ": " + strings.TrimPrefix(s, ": ")
	}
	if e.Write != "" {
		s += "; write " + e.Write
	}
	return s
}

// Errors holds the errors of a rule file. No element is nil.
type Errors []*Error

func (e Errors) Error() string {
	return strings.Join(lists.Map(e, (*Error).Error), "\n")
}

// item returns the path of an element of a list. People count rules from 1, and know them by their names.
func item(list string, i int, name string) string {
	switch {
	case list != "carry":
		return fmt.Sprintf("%s[%d]", list, i)
	case name == "":
		return fmt.Sprintf("rule %d", i+1)
	}
	return fmt.Sprintf("rule %d (%q)", i+1, name)
}

// member returns the path of a member of a table.
func member(table, key string) string {
	switch {
	case table == "":
		return key
	case strings.HasPrefix(table, "rule ") && !strings.Contains(table, ": "):
		return table + ": " + key
	}
	return table + "." + key
}
