package rules

import (
	"errors"

	"wsi/internal/jsonform"
	"wsi/internal/rawjson"
)

// format is the number of the compiled form, which must change when the form changes.
const format = "6"

var errFormat = errors.New("not compiled rules of this wsi")

// Encode returns the compiled form, a JSON object.
func Encode(s Set) []byte { return append(jsonform.Append([]byte(`{"format":`+format), &s), "}\n"...) }

// Decode reads the compiled form.
func Decode(compiled []byte) (s Set, err error) {
	members, err := rawjson.Object(compiled)
	if err != nil || string(members.Get("format")) != format || !jsonform.Decode(members, &s) {
		return Set{}, errFormat
	}
	return s, nil
}
