package rules

import (
	"fmt"
	"strings"

	"wsi/internal/lists"
)

// Error is an error at one place of a rule file.
type Error struct {
	File         string
	Line, Column int    // from 1
	What         string // what is wrong
	Write        string // what to write instead
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
	if e.Write != "" {
		s += "; write " + e.Write
	}
	return s
}

// Errors holds all errors of a rule file in the order of its lines. No element is nil.
type Errors []*Error

func (e Errors) Error() string {
	return strings.Join(lists.Map(e, (*Error).Error), "\n")
}

// Err returns e as an error, nil if it is empty.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
