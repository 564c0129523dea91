package rules

import (
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

// check looks at each text on its own, and fills in what it is if it is missing.
func (r *reader) check(v reflect.Value, path string, tag reflect.StructTag) {
	switch x := v.Addr().Interface().(type) {
	case *carry.Source:
		r.source(x, path, strings.Fields(tag.Get("from")))
		return
	case *carry.Pattern:
		r.shape(string(*x), path)
		return
	case *carry.Path:
		if *x != "" {
			r.path(string(*x), path, "")
		}
	}
	switch v.Kind() { //nolint:exhaustive // of others there is nothing to look at
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Anonymous:
				r.check(v.Field(i), path, "")
			case keyOf(f) != "-":
				r.check(v.Field(i), member(path, keyOf(f)), f.Tag)
			}
		}
	case reflect.Slice:
		r.list(v, path, tag)
	case reflect.String:
		r.plain(v.String(), path)
		choices := strings.Fields(tag.Get("one"))
		switch {
		case len(choices) == 0:
		case v.String() == "":
			v.SetString(choices[0])
		case !slices.Contains(choices, v.String()):
			r.wrong(path, oneOf(choices), "%q is not valid", v)
		}
	}
}

func (r *reader) list(v reflect.Value, path string, tag reflect.StructTag) {
	if v.Len() == 0 && !v.IsNil() {
		r.wrong(path, `["..."]`, "the list is empty")
	}
	var before []string
	for i := range v.Len() {
		one := v.Index(i)
		source, isSource := one.Interface().(carry.Source)
		text := one.String()
		if isSource {
			text = strings.TrimPrefix(source.String(), ":") // without a kind it is empty
		}
		switch {
		case one.Kind() == reflect.Struct && !isSource:
			r.check(one, item(path, i, ""), "")
		case text == "":
			r.wrong(path, `["..."]`, "the list has an empty text")
		case slices.Contains(before, text):
			r.wrong(path, "it only once", "the list has %q twice", text)
		default:
			before = append(before, text)
			r.check(one, path, tag)
		}
	}
}

func (r *reader) plain(text, path string) {
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.wrong(path, `it on one line; in a pattern, the end of a line is \n, in single quotes`, "the text contains a control character")
	}
}

const goPattern = "a regular expression of Go (RE2: no lookahead, no back references)"

func patternFault(err error) string { return strings.TrimPrefix(err.Error(), "error parsing regexp: ") }

func (r *reader) shape(s, path string) {
	if s == "" {
		return
	}
	r.plain(s, path)
	if _, err := regexp.Compile(s); err != nil {
		r.wrong(path, goPattern, "the shape is not a valid pattern: %s", patternFault(err))
	} else if !isWhole(s) {
		r.wrong(path, "'^(?:"+s+")$'", "the shape must fit the whole value")
	}
}

// isWhole reports whether a pattern fits whole texts only.
func isWhole(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpBeginText && re.Sub[len(re.Sub)-1].Op == syntax.OpEndText
}

func (r *reader) source(s *carry.Source, path string, kinds []string) {
	r.plain(s.String(), path)
	switch {
	case !slices.Contains(kinds, string(s.Kind)):
		may := lists.Map(kinds, func(k string) string {
			return map[bool]string{true: k, false: k + ":..."}[k == string(carry.Self)]
		})
		r.wrong(path, oneOf(may), "%q is not a valid source", s)
	case s.Kind == carry.Self && s.Path != "":
		r.wrong(path, `"self"`, "nothing can follow self, which is the value itself")
	case s.Kind == carry.Text:
		switch re, err := regexp.Compile(string(s.Pattern)); {
		case err != nil:
			r.wrong(path, goPattern, "the text is not a valid pattern: %s", patternFault(err))
		case re.NumSubexp() != 1:
			r.wrong(path, `exactly one group (...) for the value, and (?:...) for the others`, "the pattern has %d groups and must have one", re.NumSubexp())
		}
	case s.Kind != carry.Self:
		r.path(string(s.Path), path, s.Kind)
	}
}

// path looks at a path in a source of this kind, "" for an argument's path. Only the text of a block may itself be an array.
func (r *reader) path(text, path string, in carry.Kind) {
	arrays := in != "" && in != carry.InsideOf
	for i, part := range carry.Path(text).Parts() {
		if i == 0 && part == "[]" && in == carry.JSON {
			continue
		}
		name := strings.TrimSuffix(part, "[]")
		if name == "" || strings.ContainsAny(name, "[]") || name != part && !arrays {
			r.wrong(path, "names with dots between them, such as a.b", "%q is not a valid path", text)
			break
		}
	}
}

func oneOf(words []string) string {
	if len(words) < 2 {
		return `"` + strings.Join(words, "") + `"`
	}
	return `"` + strings.Join(words[:len(words)-1], `", "`) + `" or "` + words[len(words)-1] + `"`
}

// keyOf returns the key of a field, "-" if it has none.
func keyOf(f reflect.StructField) string {
	if name := f.Tag.Get("toml"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}
