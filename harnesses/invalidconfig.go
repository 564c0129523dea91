package harnesses

import (
	"fmt"
	"strconv"
)

// InvalidConfigError is the error of [Harness.Validate] and [Harness.Starts]: why a harness ignores a file, or does
// not start with it.
type InvalidConfigError struct {
	Effect string // "codex ignores the whole file"
	Fatal  bool   // the harness does not start with it
	Place  string // "hooks.PreToolUse[0].hooks[1].timeout", "" for the file as a whole
	Why    string // "1.5 is not a whole number of seconds"
	Fix    string // what to change there
}

func (e InvalidConfigError) Error() string {
	if e.Place == "" {
		return e.Effect + ": " + e.Why
	}
	return e.Effect + ": " + e.Place + ": " + e.Why
}

// In returns the error with its place below another one.
func (e InvalidConfigError) In(place string) InvalidConfigError {
	if e.Place != "" && e.Place[0] != '[' {
		place += "."
	}
	e.Place = place + e.Place
	return e
}

// Want is what a decoded value must be unless it is missing or null.
type Want struct {
	Name string // with its article
	Is   func(any) bool
}

// Kinds of value that several harnesses want.
var (
	AString = Want{"a string", func(v any) bool { _, ok := v.(string); return ok }}
	AFlag   = Want{"true or false", func(v any) bool { _, ok := v.(bool); return ok }}
)

// Check returns an error if the value at a place is not what is wanted, else nil.
func (w Want) Check(place string, v any) *InvalidConfigError {
	if v == nil || w.Is(v) {
		return nil
	}
	return Wrong(place, v, w.Name)
}

// Wrong returns the error of a value that is not what a harness wants.
func Wrong(place string, v any, want string) *InvalidConfigError {
	why := Shown(v) + " is not " + want
	if v == nil {
		why = "missing or null"
	}
	return &InvalidConfigError{Place: place, Why: why, Fix: "make it " + want + ", or remove the entry"}
}

// Shown describes a decoded value without anything that may be a secret.
func Shown(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) < 16 {
			return strconv.Quote(v)
		}
		return "a string"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case nil:
		return "nothing"
	}
	return fmt.Sprint(v)
}
