// Package refusal is the error of what wsi does not change.
//
// It must not know what setup and remove do.
package refusal

import (
	"errors"
	"fmt"

	"wsi/harnesses/setup"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
)

// Error says why something is not changed, and what the user can do about that.
type Error struct {
	Harness string // id, "" if it is not about one
	Path    string // the file that prevents it, "" if none does
	Err     error
	Fix     string // what the user can do, in words
	Command string // to be typed, after the words
	Works   bool   // the file carries values as it is, although setup would write another one
}

func (e Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

func (e Error) Unwrap() error { return e.Err }

// ToDo returns what the user can do.
func (e Error) ToDo() phrase.Fix { return phrase.Fix{Text: e.Fix, Command: e.Command} }

// Of returns err as an Error about a harness. An err that is not an Error yet is about the file at path.
func Of(harness, path string, err error) Error {
	var e Error
	var config setup.ConfigError
	switch {
	case errors.As(err, &e):
	case errors.As(err, &config):
		e = Error{Path: config.Path, Err: config.Err, Fix: "correct the file, then run wsi again"}
	default:
		e = Error{Path: path, Err: err}
	}
	e.Harness = harness
	return e
}

// Unreadable returns the error for a file or folder that cannot be read.
func Unreadable(path string, err error) Error {
	if large, ok := errors.AsType[plainfile.TooLargeError](err); ok {
		return Error{Path: path, Err: large, Fix: "shorten it, then run the command again"}
	}
	return Error{Path: path, Err: phrase.Reason(err), Fix: "check its permissions, and that each parent is a folder, then run the command again"}
}
