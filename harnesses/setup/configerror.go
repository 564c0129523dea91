package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ConfigError reports a configuration file that cannot be read or parsed.
type ConfigError struct {
	Path string
	Err  error
}

func (e ConfigError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e ConfigError) Unwrap() error { return e.Err }

// ExplainJSON rewords an error of package json for the user of a file. text is what was parsed: the error
// then names line and column. With nil it does not.
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
		return locate(text, kind.Offset-1, fmt.Errorf("expected %s, found %s", withArticle(kind.Type.Kind().String()), withArticle(found)))
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

// withArticle returns the words for a kind of value of JSON or of Go.
func withArticle(kind string) string {
	switch kind {
	case "array", "slice":
		return "a list"
	case "object", "struct", "map":
		return "an object"
	case "bool":
		return "true or false"
	case "string":
		return "a string"
	}
	return "a number"
}
