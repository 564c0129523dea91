package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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

// DecodeJavaScript decodes an object as JavaScript's JSON.parse does: a number that is too large becomes
// infinite. Package json refuses the whole text. Other errors are those of package json.
func DecodeJavaScript(text []byte) (map[string]any, error) {
	var root map[string]any
	err := json.Unmarshal(text, &root)
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) || kind.Type.Kind() != reflect.Float64 {
		return root, err
	}
	root = nil
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	for key, v := range root {
		root[key] = floats(v)
	}
	return root, nil
}

// floats replaces each json.Number in a decoded value by a float64.
func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64() // on an error it is out of range, and f is infinite
		return f
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for key, e := range v {
			v[key] = floats(e)
		}
	}
	return v
}

// Limits of a file in TOML. The time in which go-toml (v2.4.3) reads a file grows with the square of the number of its keys:
// so many take it a second.
const (
	maxKeys  = 15_000
	maxDepth = 100 // of lists and tables in each other, and of the parts of a key
)

// DecodeTOML decodes a file, with or without a byte order mark. Its errors have a line and a column.
func DecodeTOML(text []byte) (map[string]any, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := boundTOML(text); err != nil {
		return nil, err
	}
	tree := map[string]any{}
	err := toml.Unmarshal(text, &tree)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return tree, err
}

// boundTOML refuses a file that would take too long. It counts more than the keys: every list, and the point of a number.
func boundTOML(text []byte) error {
	keys, depth, parts := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			comment, _, _ := bytes.Cut(text[i:], []byte("\n"))
			i, parts = i+len(comment), 0
		case '"', '\'':
			i = endOfString(text, i)
		case '.':
			keys, parts = keys+1, parts+1
		case '=':
			keys, parts = keys+1, 0
		case ',', '\n':
			parts = 0
		case '[', '{':
			keys, depth = keys+1, depth+1
		case ']', '}':
			depth--
		}
		if keys > maxKeys {
			return fmt.Errorf("it has more than %d keys, which is too much for wsi", maxKeys)
		}
		if depth > maxDepth || parts > maxDepth {
			return Locate(text, i, fmt.Errorf("it is nested more than %d deep, which is too much for wsi", maxDepth))
		}
	}
	return nil
}

// endOfString returns the place of the last quote of a string that begins at i, or where its line ends without one.
func endOfString(text []byte, i int) int {
	quote, escapes := text[i:i+1], text[i] == '"'
	long := bytes.HasPrefix(text[i:], bytes.Repeat(quote, 3))
	if long {
		quote = bytes.Repeat(quote, 3)
	}
	for i += len(quote); i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == '\n' && !long:
			return i
		case bytes.HasPrefix(text[i:], quote):
			i += len(quote)
			for long && i < len(text) && text[i] == quote[0] { // quotes before the end
				i++
			}
			return i - 1
		}
	}
	return i
}
