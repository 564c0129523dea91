package setup

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Limits of a file in TOML. The time in which go-toml (v2.4.3) reads a file grows with the square of the number of its keys:
// so many take it a second.
const (
	maxKeys  = 15_000
	maxDepth = 100 // of lists and tables in each other, and of the parts of a key
)

// DecodeTOML decodes a file, with or without a byte order mark. Its errors have a line and a column.
func DecodeTOML(text []byte) (map[string]any, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := boundTOML(text); err != nil {
		return nil, err
	}
	tree := map[string]any{}
	err := toml.Unmarshal(text, &tree)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return tree, err
}

// boundTOML refuses a file that would take too long. It counts more than the keys: every list, and the point of a number.
func boundTOML(text []byte) error {
	keys, depth, parts := 0, 0, 0
	for i, c := range withoutTexts(text) {
		switch c {
		case '.':
			keys, parts = keys+1, parts+1
		case '=':
			keys, parts = keys+1, 0
		case ',', '\n':
			parts = 0
		case '[', '{':
			keys, depth = keys+1, depth+1
		case ']', '}':
			depth--
		}
		if keys > maxKeys {
			return fmt.Errorf("it has more than %d keys, which is too much for wsi", maxKeys)
		}
		if depth > maxDepth || parts > maxDepth {
			return locate(text, int64(i), fmt.Errorf("it is nested more than %d deep, which is too much for wsi", maxDepth))
		}
	}
	return nil
}

// withoutTexts returns a file in TOML with blanks for its strings and comments.
func withoutTexts(text []byte) []byte {
	const long, short = `"""(?s:\\.|[^\\])*?"{3,5}|'''(?s:.)*?'{3,5}`, `"(\\.|[^"\\\n])*"?|'[^'\n]*'?|#.*`
	return regexp.MustCompile(long+"|"+short).ReplaceAllFunc(text, func(found []byte) []byte {
		return bytes.Repeat([]byte(" "), len(found))
	})
}
