package carry

import (
	"strings"

	"wsi/internal/jsonraw"
)

// in returns the raw value at the path in a raw object, nil if there is none. The object is valid JSON: it is all or a part
// of a call's arguments.
func (p Path) in(object []byte) []byte {
	for rest, more := string(p), true; more; {
		var name string
		name, rest, more = strings.Cut(rest, ".")
		members, _ := jsonraw.ObjectIn(object) // none if it is not an object
		if object = members.Get(name); object == nil {
			return nil
		}
	}
	return object
}

// maxEach bounds how many values of one result are looked at.
const maxEach = 64

// strings returns the strings at the path in a raw object. Parts of the path may be arrays.
func (p Path) strings(object []byte) []string {
	var found []string
	p.each(object, func(raw []byte) bool {
		if s, ok := jsonraw.Unquote(raw); ok {
			found = append(found, s)
		}
		return len(found) < maxEach
	})
	return found
}

func (p Path) each(raw []byte, found func(raw []byte) bool) bool {
	name, rest, more := strings.Cut(string(p), ".")
	name, array := strings.CutSuffix(name, "[]")
	if name != "" || !array {
		members, _ := jsonraw.Object(raw) // none if it is not an object
		if raw = members.Get(name); raw == nil {
			return true
		}
	}
	elements := [][]byte{raw}
	if array {
		elements, _ = jsonraw.Array(raw) // none if it is not an array
	}
	for _, e := range elements {
		if more && !Path(rest).each(e, found) || !more && !found(e) {
			return false
		}
	}
	return true
}

func (p Path) name() string {
	return strings.TrimSuffix(string(p[strings.LastIndexByte(string(p), '.')+1:]), "[]")
}

// set returns a raw object with a raw value at the path, its other bytes unchanged. It returns nil if a parent
// is missing or not an object.
func (p Path) set(object, raw []byte) []byte {
	members, err := jsonraw.Object(object)
	if err != nil {
		return nil
	}
	name, rest, more := strings.Cut(string(p), ".")
	if more {
		inner := members.Get(name)
		if inner == nil {
			return nil
		}
		if raw = Path(rest).set(inner, raw); raw == nil {
			return nil
		}
	}
	return jsonraw.Set(object, name, raw)
}
