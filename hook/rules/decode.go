package rules

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/internal/plainfile"
)

const (
	maxErrors = 100

	// maxFile bounds a rule file, so that a huge one cannot block the hook: the strict decoder takes half a second for 16 KiB of
	// unknown keys. Ten long rules are 12 KiB.
	maxFile = 16 << 10
)

// decode reports whether the file has only values of the right types. It reports unknown keys, but they can be ignored.
func (r *reader) decode(file []byte, doc *document) bool {
	if len(file) > maxFile {
		r.wrong("", "", "this file cannot be read: %v", plainfile.TooLargeError{Size: int64(len(file)), Most: maxFile})
		return false
	}
	err := toml.NewDecoder(bytes.NewReader(file)).DisallowUnknownFields().Decode(doc)
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for i := range unknown.Errors {
			r.wrongAt(&unknown.Errors[i], "a key that docs/rules.md lists", "unknown key "+strconv.Quote(strings.Join(unknown.Errors[i].Key(), ".")))
		}
		return true
	}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		what, write := strings.TrimPrefix(at.Error(), "toml: "), "name = value, each name once, with strings in quotes and lists in [ ]"
		if toml.Unmarshal(file, new(map[string]any)) == nil { // it is TOML
			what, write = strconv.Quote(strings.Join(at.Key(), "."))+" has a value of a wrong type", "it as docs/rules.md does"
		}
		r.wrongAt(at, write, what)
	} else if err != nil {
		r.wrong("", "", "this file cannot be read: %v", err)
	}
	return err == nil
}

func (r *reader) wrongAt(at *toml.DecodeError, write, what string) {
	line, column := at.Position()
	r.add(Error{Line: line, Column: column, What: what, Write: write})
}
