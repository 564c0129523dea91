package rules

import (
	"fmt"
	"strings"
)

// Error is what is wrong at one place of a rule file.
type Error struct {
	File         string
	Line, Column int    // from 1
	What         string // what is there
	Write        string // what to write instead
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
	if e.Write != "" {
		s += "; write " + e.Write
	}
	return s
}

// Errors is all that is wrong with a rule file, in the order of its lines; none is nil.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is the errors as an error.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
