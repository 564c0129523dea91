package edit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// fields are the members of a new object. A value is a string, a number, fields, a list of them, or verbatim.
type fields []field

type verbatim string

type field struct {
	key   string
	value any
}

// and adds a member unless it is empty.
func (f fields) and(key string, value any) fields {
	if value == "" || value == 0 {
		return f
	}
	return append(f, field{key, value})
}

// raw returns a value as it is written: compact in JSON, and on one line in TOML.
func (d *document) raw(value any) string {
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case fields:
		all := lists.Map(v, d.rawMember)
		if d.format == setup.TOML {
			return "{ " + strings.Join(all, ", ") + " }"
		}
		return "{" + strings.Join(all, ",") + "}"
	case []fields:
		return array(lists.Map(v, func(f fields) string { return d.raw(f) }))
	case verbatim:
		return string(v)
	}
	return d.quote(fmt.Sprint(value))
}

// meant returns a value as the tree has it.
func (d *document) meant(value any) any {
	switch v := value.(type) {
	case int:
		if d.format == setup.TOML {
			return int64(v)
		}
		return json.Number(strconv.Itoa(v))
	case fields:
		table := map[string]any{}
		for _, f := range v {
			table[f.key] = d.meant(f.value)
		}
		return table
	case []fields:
		all := []any{}
		for _, f := range v {
			all = append(all, d.meant(f))
		}
		return all
	case verbatim:
		decoded, _ := setup.DecodeJSON[any]([]byte(v)) // an invalid one is not what the text says
		return decoded
	}
	return value
}

func (d *document) rawMember(f field) string { return d.member(f.key, d.raw(f.value)) }

// member returns a raw member.
func (d *document) member(key, raw string) string {
	if d.format == setup.TOML {
		return quoteAll([]string{key})[0] + " = " + raw
	}
	return setup.JSONText(key) + ":" + raw
}

func (d *document) quote(s string) string {
	if d.format == setup.TOML {
		return quoteTOML(s)
	}
	return setup.JSONText(s)
}
