package ruletest

import (
	"encoding/json"
	"maps"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/refserver/scripted"
)

type object map[string]any

func (o object) raw() []byte { return encoded(o) }

func encoded(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and the like
	}
	return raw
}

// document returns the object as JSON; for a path that begins with "[]", as an array with it.
func (o object) document() []byte {
	list, is := o[""].([]any)
	if !is {
		o["status"] = "running"
		return o.raw()
	}
	return encoded(list)
}

// put sets a string at a path; a part that ends in "[]" is an array with one element.
func (o object) put(path carry.Path, value string) {
	name, array := strings.CutSuffix(string(path), "[]")
	if array {
		o.set(carry.Path(name), []any{value})
	} else {
		o.set(path, value)
	}
}

// set sets any value at a path.
func (o object) set(path carry.Path, value any) {
	parts := path.Parts()
	for _, part := range parts[:len(parts)-1] {
		o = o.inner(part)
	}
	o[parts[len(parts)-1]] = value
}

// inner returns the object under a name, and creates it if it is missing.
func (o object) inner(part string) object {
	name, array := strings.CutSuffix(part, "[]")
	switch v := o[name].(type) {
	case object:
		return v
	case []any:
		return v[0].(object) // by the line below
	}
	made := object{}
	if o[name] = made; array {
		o[name] = []any{made}
	}
	return made
}

// parents creates the objects around an injected value, since a rule does not create them.
func (o object) parents(path carry.Path) {
	parts := path.Parts()
	for _, part := range parts[:len(parts)-1] {
		o = o.inner(part)
		o["cwd"] = "/"
	}
}

// decorate adds members that no rule may change, and that identify the call for the server.
func (o object) decorate(step string) {
	o[scripted.Step] = step
	o["note"] = `a<b & "q" é`
	o["n"] = json.Number("9007199254740991") // the largest that JavaScript keeps: some harnesses encode arguments again
}

func (o object) clone() object {
	c := maps.Clone(o)
	for name, v := range c {
		if inner, ok := v.(object); ok {
			c[name] = inner.clone()
		}
	}
	return c
}

// learn adds the members of arguments to the properties of a schema.
func (o object) learn(args []byte) {
	v, _ := decoded(args)
	members, _ := v.(map[string]any)
	for name, v := range members {
		switch v := v.(type) {
		case map[string]any:
			inner := object{}
			if known, ok := o[name].(object); ok {
				inner, _ = known["properties"].(object)
			}
			raw := object(v).raw()
			inner.learn(raw)
			o[name] = object{"type": "object", "properties": inner}
		case json.Number:
			o[name] = object{"type": "integer"}
		case []any:
			o[name] = object{"type": "array", "items": object{"type": "string"}}
		default:
			o[name] = object{"type": "string"}
		}
	}
}
