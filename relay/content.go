package relay

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"wsi/harnesses/clients"
	"wsi/internal/jsonraw"
)

// Auto gives the client each result in the form that it shows whole; [AsIs] leaves results as the server wrote them.
const Auto = "auto"

// forms are how results are written for the client: those that succeeded, and those that failed.
type forms struct{ ok, failed clients.Form }

// meet notes who the client is, from the parameters of its initialize. Without one, as in the revision of 2026-07-28, results
// are left as they are.
func (e *engine) meet(params []byte) {
	if e.asIs {
		return
	}
	members, _ := jsonraw.ObjectIn(params) // none if it is not an object
	info, _ := jsonraw.ObjectIn(members.Get("clientInfo"))
	var f forms
	f.ok, f.failed = clients.Forms(info.String("name"), info.String("version"))
	e.forms.Store(&f)
}

// reforms reports whether a result may get another form than the server's.
func (e *engine) reforms() bool { f := e.forms.Load(); return f != nil && *f != forms{} }

// reform gives a result the form in which the client's model reads all of it. One without a structured part keeps its bytes.
func (e *engine) reform(v *view) {
	structured := v.members.Get("structuredContent")
	if !e.reforms() || len(structured) == 0 || string(structured) == "null" {
		return
	}
	form := e.forms.Load().ok
	if v.isError() {
		form = e.forms.Load().failed
	}
	blocks, _ := jsonraw.ArrayIn(v.members.Get("content")) // none if it is not an array
	was := meaning(string(structured))
	var others [][]byte // without those that the structured part has, as a whole or as one of its values
	var said []any      // what the texts say
	for _, b := range blocks {
		if text := meaning(textOf(b)); text != nil && has(was, text) {
			said = append(said, text)
		} else {
			others = append(others, b)
		}
	}
	repeated := consists(was, said)
	switch {
	case form == clients.Once && len(others) < len(blocks):
		v.set(jsonraw.Set(v.raw, "content", jsonArray(others)))
	case form == clients.AsText && len(others) > 0:
		v.set(jsonraw.Remove(jsonraw.Set(v.raw, "content", jsonArray(append(others, block(string(structured))))), "structuredContent"))
	case form == clients.TextInto && !repeated && len(blocks) > 0 && textOf(blocks[0]) != "":
		blocks[0] = jsonraw.Set(blocks[0], "text", jsonraw.Quote(textOf(blocks[0])+"\n"+string(structured)))
		v.set(jsonraw.Set(v.raw, "content", jsonArray(blocks)))
	case (form == clients.TextToo || form == clients.TextInto) && !repeated:
		v.set(jsonraw.Set(v.raw, "content", jsonArray(append(others, block(string(structured))))))
	}
}

// textOf returns the text of a content block, "" if it is of another kind.
func textOf(block []byte) string {
	members, _ := jsonraw.ObjectIn(block) // none if it is not an object
	return members.String("text")
}

// meaning returns the value of a text that is a JSON object or array, else the text, nil for an empty one.
func meaning(text string) (v any) {
	switch {
	case json.Unmarshal([]byte(text), &v) == nil && strings.ContainsAny(text[:1], "{[ \t\r\n"):
		return v
	case text == "":
		return nil
	}
	return text
}

// has reports whether a value is part of another one, or is it: server-filesystem writes TEXT and {"content": TEXT}, server-memory
// [...] and {"entities": [...]}.
func has(value, part any) bool {
	return reflect.DeepEqual(value, part) || slices.ContainsFunc(parts(value), func(v any) bool { return has(v, part) })
}

// consists reports whether a value has nothing but these parts.
func consists(value any, of []any) bool {
	all := parts(value)
	return slices.ContainsFunc(of, func(part any) bool { return reflect.DeepEqual(value, part) }) ||
		len(all) > 0 && !slices.ContainsFunc(all, func(v any) bool { return !consists(v, of) })
}

// parts returns the elements of an array, and the values of an object's members.
func parts(value any) []any {
	switch v := value.(type) {
	case []any:
		return v
	case map[string]any:
		return slices.Collect(maps.Values(v))
	}
	return nil
}

func jsonArray(elements [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}
