package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

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
