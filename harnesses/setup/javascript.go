package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
)

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
