package rules

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

const (
	maxErrors = 100

	// maxFile bounds a rule file, so that a huge one cannot block the hook. Ten long rules are 12 KiB.
	maxFile = 48 << 10
)

// decode reports whether the file has only values of the right types. It finds the unknown keys itself, because for those in inline
// tables the strict decoder does not say in which table they are, and for a file of them it takes seconds.
func (r *reader) decode(file []byte, doc *document) bool {
	if len(file) > maxFile {
		r.wrong("", "", "this file cannot be read: %v", plainfile.TooLargeError{Size: int64(len(file)), Most: maxFile})
		return false
	}
	var all map[string]any
	err := toml.Unmarshal(file, &all)
	if err == nil {
		if !r.fits(all, reflect.TypeFor[document](), "") {
			return false
		}
		err = toml.Unmarshal(file, doc)
	}
	var at *toml.DecodeError
	switch {
	case errors.As(err, &at):
		r.wrong("", "name = value, each name once, with strings in quotes and lists in [ ]", "this is not TOML: %s", strings.TrimPrefix(at.Error(), "toml: "))
		r.errs[0].Line, r.errs[0].Column = at.Position()
	case err != nil:
		r.wrong("", "", "this file cannot be read: %v", err)
	}
	return err == nil
}

// fits reports whether a value, and what is in it, can be decoded into a type. It reports unknown keys, but they can be ignored.
func (r *reader) fits(value any, t reflect.Type, path string) bool {
	isText := t.Kind() == reflect.String || t == reflect.TypeFor[carry.Source]()
	ok := false
	switch value := value.(type) {
	case bool:
		ok = t.Kind() == reflect.Bool
	case string:
		ok = isText
	case []any:
		if ok = t.Kind() == reflect.Slice; ok {
			return r.allFit(value, t.Elem(), path)
		}
	case map[string]any:
		if ok = t.Kind() == reflect.Struct && !isText; ok {
			return r.membersFit(value, t, path)
		}
	}
	if !ok {
		r.wrong(path, example(t, isText), "the value is of a wrong type")
	}
	return ok
}

func (r *reader) allFit(list []any, t reflect.Type, path string) bool {
	ok := true
	for i, value := range list {
		at := path
		if table, is := value.(map[string]any); is {
			name, _ := table["name"].(string)
			at = item(path, i, name)
		}
		ok = r.fits(value, t, at) && ok
	}
	return ok
}

func (r *reader) membersFit(table map[string]any, t reflect.Type, path string) bool {
	ok, known := true, fieldsOf(t)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		i := slices.IndexFunc(known, func(f reflect.StructField) bool { return strings.EqualFold(keyOf(f), key) })
		if i < 0 {
			var keys []string
			for _, f := range known {
				keys = append(keys, keyOf(f))
			}
			r.wrong(path, oneOf(keys), "unknown key %q", key)
			continue
		}
		is := known[i].Type
		if is.Kind() == reflect.Pointer {
			is = is.Elem()
		}
		ok = r.fits(table[key], is, member(path, key)) && ok
	}
	return ok
}

// fieldsOf returns the fields of a type that have a key.
func fieldsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || keyOf(f) == "-" })
}

// keyOf returns the key of a field, "-" if it has none.
func keyOf(f reflect.StructField) string {
	if name := f.Tag.Get("toml"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}

// example returns what to write for a value of a type.
func example(t reflect.Type, isText bool) string {
	switch {
	case isText:
		return `"..."`
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Struct:
		return "a table, with its name in [ ]"
	case t.Elem().Kind() == reflect.Struct && t.Elem() != reflect.TypeFor[carry.Source]():
		return "tables, each with the name in [[ ]]"
	}
	return `["..."]`
}
