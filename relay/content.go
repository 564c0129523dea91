package relay

import (
	"bytes"
	"encoding/json"
	"reflect"

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
	content := v.members.Get("content")
	blocks, _ := jsonraw.ArrayIn(content) // none if it is not an array
	var others [][]byte                   // without those that are the structured part
	for _, b := range blocks {
		if !isText(b, structured) {
			others = append(others, b)
		}
	}
	repeated := len(others) < len(blocks)
	switch {
	case form == clients.Once && repeated:
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

// isText reports whether a content block is a text that is this JSON.
func isText(block, structured []byte) bool {
	text := bytes.TrimSpace([]byte(textOf(block)))
	if !bytes.HasPrefix(text, structured[:1]) || !jsonraw.Valid(text) {
		return false
	}
	var is, was any
	return json.Unmarshal(text, &is) == nil && json.Unmarshal(structured, &was) == nil && reflect.DeepEqual(is, was)
}

func jsonArray(elements [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}
