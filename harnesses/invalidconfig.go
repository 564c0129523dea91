package harnesses

import (
	"fmt"
	"strconv"
)

// InvalidConfigError is the error of an Accepts: for what a harness drops a file of hooks.
type InvalidConfigError struct {
	Effect string // "codex ignores the whole file"
	Fatal  bool   // the harness does not start with it, whoever's entries are in there
	Place  string // "hooks.PreToolUse[0].hooks[1].timeout", "" for the file as a whole
	Why    string // "it is no whole number of seconds"
	Fix    string // what to change there
}

func (r InvalidConfigError) Error() string {
	if r.Place == "" {
		return r.Effect + ": " + r.Why
	}
	return r.Effect + ": " + r.Place + ": " + r.Why
}

// In puts a place before that of the error.
func (r InvalidConfigError) In(place string) InvalidConfigError {
	if r.Place != "" && r.Place[0] != '[' {
		place += "."
	}
	r.Place = place + r.Place
	return r
}

// Want is what a decoded value must be unless it is missing or null.
type Want struct {
	Name string // with its article
	Is   func(any) bool
}

// What several harnesses want.
var (
	AString = Want{"a string", func(v any) bool { _, ok := v.(string); return ok }}
	AFlag   = Want{"true or false", func(v any) bool { _, ok := v.(bool); return ok }}
)

// Check returns what is wrong with the value at a place, nil if nothing is.
func (w Want) Check(place string, v any) *InvalidConfigError {
	if v == nil || w.Is(v) {
		return nil
	}
	return Wrong(place, v, w.Name)
}

// Wrong says that a value is not what a harness wants.
func Wrong(place string, v any, want string) *InvalidConfigError {
	return &InvalidConfigError{Place: place, Why: Shown(v) + " is not " + want, Fix: "make it " + want + ", or take the entry out"}
}

// Shown tells of a decoded value what cannot be a secret.
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
