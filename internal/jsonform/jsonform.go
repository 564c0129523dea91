// Package jsonform encodes and decodes structs of texts, whole numbers, flags, times and structs, and lists of these, as
// encoding/json does by their tags. The first use of encoding/json would take a tenth of a hook's run time.
//
// It must not know what the structs mean.
package jsonform

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"wsi/internal/jsonraw"
)

// field is a field of a struct. Without a tag it keeps its name, and is left out if it is empty.
type field struct {
	name  string
	index int
	omit  bool // if it is empty
}

// forms maps each struct type in use to its []field.
var forms sync.Map

func fieldsOf(t reflect.Type) []field {
	if all, ok := forms.Load(t); ok {
		return all.([]field)
	}
	all := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.TrimSuffix(strings.TrimPrefix(string(f.Tag), `json:"`), `"`) // faster than Tag.Get
		name, _, omit := strings.Cut(tag, ",")
		switch name {
		case "-":
			continue
		case "":
			name, omit = f.Name, true
		}
		all = append(all, field{name, i, omit})
	}
	forms.Store(t, all)
	return all
}

// Append appends the members of the struct that v points to. out ends within an object, after "{" or a member.
func Append(out []byte, v any) []byte { return appendMembers(out, reflect.ValueOf(v).Elem()) }

func appendMembers(out []byte, v reflect.Value) []byte {
	for _, f := range fieldsOf(v.Type()) {
		member := v.Field(f.index)
		if f.omit && (member.IsZero() || member.Kind() == reflect.Slice && member.Len() == 0) {
			continue
		}
		if out[len(out)-1] != '{' {
			out = append(out, ',')
		}
		out = appendValue(append(append(append(out, '"'), f.name...), '"', ':'), member)
	}
	return out
}

func appendValue(out []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return append(out, jsonraw.Quote(v.String())...)
	case reflect.Bool:
		return strconv.AppendBool(out, v.Bool())
	case reflect.Slice:
		if v.IsNil() {
			return append(out, "null"...)
		}
		out = append(out, '[')
		for i := range v.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, v.Index(i))
		}
		return append(out, ']')
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*time.Time); ok {
			return append(at.AppendFormat(append(out, '"'), time.RFC3339Nano), '"')
		}
		return append(appendMembers(append(out, '{'), v), '}')
	}
	return strconv.AppendInt(out, v.Int(), 10)
}

// Decode sets the fields of the struct that into points to. It ignores other members, and treats null as missing. ok is
// false if a value is of another kind; its field is then zero.
func Decode(members jsonraw.Members, into any) (ok bool) {
	return decodeMembers(members, reflect.ValueOf(into).Elem())
}

func decodeMembers(members jsonraw.Members, v reflect.Value) bool {
	ok := true
	for _, f := range fieldsOf(v.Type()) {
		ok = decode(members.Get(f.name), v.Field(f.index)) && ok
	}
	return ok
}

func decode(raw []byte, v reflect.Value) (ok bool) {
	if raw == nil || string(raw) == "null" {
		return true
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		var s string
		s, ok = jsonraw.Unquote(raw)
		v.SetString(s)
		return ok
	case reflect.Bool:
		v.SetBool(string(raw) == "true")
		return v.Bool() || string(raw) == "false"
	case reflect.Slice:
		var elements [][]byte
		elements, err = jsonraw.ArrayIn(raw)
		v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
		ok = err == nil
		for i := range elements {
			ok = decode(elements[i], v.Index(i)) && ok
		}
		return ok
	case reflect.Struct:
		if at, is := v.Addr().Interface().(*time.Time); is {
			s, _ := jsonraw.Unquote(raw)
			*at, err = time.Parse(time.RFC3339Nano, s)
			return err == nil
		}
		var members jsonraw.Members
		members, err = jsonraw.ObjectIn(raw)
		return decodeMembers(members, v) && err == nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		n = 0
	}
	v.SetInt(n)
	return err == nil
}
