package setup

import (
	"bytes"
	"errors"
	"fmt"
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
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			i = end(text, i, "\n")
			parts = 0
		case '"', '\'':
			i = endOfString(text, i)
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

// end returns the end of the next mark, or of the text.
func end(text []byte, from int, mark string) int {
	n := bytes.Index(text[from:], []byte(mark))
	if n < 0 {
		return len(text)
	}
	return from + n + len(mark) - 1
}

// endOfString returns the place of the last quote of a string that begins at i, or where its line ends without one.
func endOfString(text []byte, i int) int {
	quote, escapes := text[i:i+1], text[i] == '"'
	long := bytes.HasPrefix(text[i:], bytes.Repeat(quote, 3))
	if long {
		quote = bytes.Repeat(quote, 3)
	}
	for i += len(quote); i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == '\n' && !long:
			return i
		case bytes.HasPrefix(text[i:], quote):
			i += len(quote)
			for long && i < len(text) && text[i] == quote[0] { // quotes before the end
				i++
			}
			return i - 1
		}
	}
	return i
}
