package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
)

// At returns the value at a path of keys, and of indexes of lists, in a decoded value; nil if there is none.
func At(v any, path ...string) any {
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// Table returns the object at a path, nil if there is none.
func Table(v any, path ...string) map[string]any {
	table, _ := At(v, path...).(map[string]any)
	return table
}

// Decode decodes a file in JSON or JSONC. Without the file, into stays as it is. The error is a [ConfigError].
func (e Env) Decode(path string, format Format, into any) error {
	content, err := e.ReadIfThere(path)
	if err != nil || len(content) == 0 {
		return err
	}
	if format == JSONC {
		content = jsonc.ToJSON(content)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return ConfigError{Path: path, Err: ExplainJSON(content, err)}
	}
	return nil
}

// Setting returns the value of a setting in the last file that has one of this type, and that file; "" if none has. A file that
// cannot be read is skipped.
func Setting[T any](env Env, files []HookFile, keys ...string) (value T, path string) {
	for _, file := range files {
		var root any
		if env.Decode(file.Path, file.Format, &root) == nil {
			if v, ok := At(root, keys...).(T); ok {
				value, path = v, file.Path
			}
		}
	}
	return value, path
}

// DecodeJSON decodes a text. Numbers keep their text: JavaScript accepts one that is too large for Go. Its errors have a line and a
// column.
func DecodeJSON[T any](text []byte) (v T, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	if err == nil && len(bytes.TrimLeft(text[d.InputOffset():], " \t\r\n")) > 0 {
		err = json.Unmarshal(text, &v) // its error is where the rest begins
	}
	return v, ExplainJSON(text, err)
}

// maxSigns is how many signs of keys and lists a file in TOML may have. The time in which go-toml (v2.4.3) reads one grows with the
// square of the number of its keys: so many take it a second. The time of an edit grows with the square of the depth.
const (
	maxSigns = 15_000
	maxDepth = 100 // of tables and lists in each other
)

// DecodeTOML decodes a file, with or without a byte order mark. Its errors have a line and a column.
func DecodeTOML(text []byte) (map[string]any, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	signs := 0
	for _, sign := range []string{"=", ".", "[", "{"} {
		signs += bytes.Count(text, []byte(sign))
	}
	if signs > maxSigns {
		return nil, fmt.Errorf("it has more than %d of the signs = . [ {, which is too much for wsi", maxSigns)
	}
	tree := map[string]any{}
	err := toml.Unmarshal(text, &tree)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	if err == nil && deeper(tree, maxDepth) {
		return nil, fmt.Errorf("it is nested more than %d deep, which is too much for wsi", maxDepth)
	}
	return tree, err
}

// deeper reports whether more than so many tables and lists are in each other.
func deeper(v any, than int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if than == 0 || deeper(member, than-1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return than == 0 || deeper(e, than-1) })
	}
	return false
}

// ConfigError reports a configuration file that cannot be read or parsed.
type ConfigError struct {
	Path string
	Err  error
}

func (e ConfigError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e ConfigError) Unwrap() error { return e.Err }

const endsEarly = "the file ends too early"

// jsonWords has the words of package json for a mistake, and those that say what to correct.
var jsonWords = strings.NewReplacer(
	"looking for beginning of value", "where a value must be", "looking for beginning of object key string", "where a name in quotes must be",
	"after object key:value pair", "where a comma or } must be", "after array element", "where a comma or ] must be",
	"after object key", "where a colon must be", "after top-level value", "after the end", "unexpected end of JSON input", endsEarly)

// ExplainJSON rewords an error of package json for the user of a file. text is what was parsed: the error
// then names line and column. With nil it does not.
func ExplainJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := int(syntax.Offset) - 1
		if at >= len(text)-1 && strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = len(text)
		}
		why := jsonWords.Replace(err.Error())
		if at >= 0 && at+1 < len(text) && text[at] == '/' && (text[at+1] == '/' || text[at+1] == '*') {
			why = "invalid character '/': this file may have no comments"
		}
		return Locate(text, at, errors.New(why))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // of a json.Decoder
		return Locate(text, len(text), errors.New(endsEarly))
	case errors.As(err, &kind):
		found, _, _ := strings.Cut(kind.Value, " ")
		return Locate(text, int(kind.Offset)-1, fmt.Errorf("expected %s, found %s", withArticle(kind.Type.Kind().String()), withArticle(found)))
	}
	return err
}

// Locate adds the line and the column of a place in a text to an error. Without a text it adds nothing.
func Locate(text []byte, at int, err error) error {
	if text == nil {
		return err
	}
	before := string(text[:max(0, min(at, len(text)))])
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

// InvalidConfigError is the error of [HookFacts.Validate] and [Proof.Starts]: why a harness ignores a file, or does
// not start with it.
type InvalidConfigError struct {
	Effect string // "Codex ignores the whole file"
	Fatal  bool   // the harness does not start with it
	Place  string // "hooks.PreToolUse[0].hooks[1].timeout", "" for the file as a whole
	Why    string // "1.5 is not a whole number of seconds"
	Fix    string // what to change there
	Said   bool   // the harness's own program says so
}

func (e InvalidConfigError) Error() string {
	if e.Place == "" {
		return e.Effect + ": " + e.Why
	}
	return e.Effect + ": " + e.Place + ": " + e.Why
}

// Fatal reports whether a harness does not start with a file.
func Fatal(err error) bool {
	bad, _ := errors.AsType[InvalidConfigError](err)
	return bad.Fatal
}

// With returns the error with an effect, nil for no error.
func (e *InvalidConfigError) With(effect string) error {
	if e == nil {
		return nil
	}
	e.Effect = effect
	return *e
}

// Answer is what a harness's own program says of a hook file.
type Answer struct {
	Refused *InvalidConfigError // it ignores all of it; nil: it does not
	Ignored []IgnoredEntry      // parts that it ignores, of a file that it accepts
	Hashes  map[string]string   // what an approval of each of its hooks records, by <event>:<group>:<index>; nil: hooks need no approval
}

// IgnoredEntry is a part of a hook file that a harness ignores.
type IgnoredEntry struct {
	Path []string // keys and indexes: hooks, Stop, 0, hooks, 1
	Why  string   // a clause
}

// ErrNotAsked is the error of [HookFacts.Policy] if only the harness's own program knows whether its user approved a hook.
var ErrNotAsked = errors.New("it is not known whether the hooks are approved: the harness was not asked, or did not answer")

// Answer returns what the harness's own program says of a file of the user or a project. known is false if it was not asked, or has
// not answered.
func (h Harness) Answer(env Env, file HookFile, content []byte) (known bool, said Answer) {
	if !h.Asks(file) || env.Asked == nil {
		return false, said
	}
	return env.Asked(env, h, content)
}

// Asks reports whether the harness's own program can be asked about a hook file.
func (h Harness) Asks(file HookFile) bool {
	return h.Hooks.Ask != nil && !slices.Contains([]Origin{OfManaged, OfPlugin, OfImport}, file.Origin)
}

// Refused returns an [InvalidConfigError] if the harness would ignore this hook file or part of it.
func (h Harness) Refused(env Env, file HookFile, content []byte) error {
	if h.Hooks.Validate != nil {
		if err := h.Hooks.Validate(file, content); err != nil {
			return err
		}
	}
	if _, said := h.Answer(env, file, content); said.Refused != nil {
		return *said.Refused
	}
	return nil
}
