package harnesses

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ConfigError is the error of a configuration file that cannot be read or understood.
type ConfigError struct {
	Path string
	Err  error
}

func (u ConfigError) Error() string { return u.Path + ": " + u.Err.Error() }

func (u ConfigError) Unwrap() error { return u.Err }

// ExplainJSON says in a reader's words what package json says in Go's. With the text that was
// parsed it names the place too; nil is for a part of a file, whose place is not known.
func ExplainJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := syntax.Offset - 1
		if at >= int64(len(text))-1 && strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = int64(len(text))
		}
		return locate(text, at, err)
	case errors.As(err, &kind):
		found, _, _ := strings.Cut(kind.Value, " ")
		return locate(text, kind.Offset-1, fmt.Errorf("%s stands where %s belongs", withArticle(found), expected(kind.Type)))
	}
	return err
}

func locate(text []byte, at int64, err error) error {
	if text == nil {
		return err
	}
	before := string(text[:max(0, min(at, int64(len(text))))])
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

func withArticle(found string) string {
	switch found {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + found
}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	default:
		return "a number"
	}
}
