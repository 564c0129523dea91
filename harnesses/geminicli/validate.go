package geminicli

import (
	"encoding/json"
	"errors"
	"strings"

	"wsi/harnesses"
)

// validate finds settings files with which Gemini CLI does not start (0.61.0), and commands that it would not run as
// written. Gemini CLI skips an entry with an unknown shape, with a warning.
func validate(file harnesses.HookFile, content []byte) error {
	for _, e := range file.Entries {
		bad := harnesses.InvalidConfigError{Effect: "gemini cli would not run wsi", Fix: "put wsi into a folder with a plain name"}
		switch {
		case strings.Contains(e.Command, "$"):
			bad.Why = "Gemini CLI treats $ in its settings as the start of a variable: " + e.Command
			return bad
		case strings.HasPrefix(e.Command, `"`):
			bad.Why = "PowerShell, which runs its hooks, treats a quoted program as a string: " + e.Command
			return bad
		}
	}
	bad := harnesses.InvalidConfigError{Effect: "gemini cli does not start with this file", Fatal: true}
	plain, err := withoutComments(content)
	var root any
	if err == nil {
		err = harnesses.ExplainJSON(plain, json.Unmarshal(plain, &root))
	}
	if _, object := root.(map[string]any); err == nil && !object {
		err = errors.New("it is not an object")
	}
	if err == nil {
		return nil
	}
	bad.Why = err.Error()
	return bad
}

// withoutComments turns a settings file into JSON, with a blank for each byte of a comment. Like Gemini CLI, it accepts
// neither trailing commas nor a byte order mark.
func withoutComments(text []byte) ([]byte, error) {
	if len(text) > 2 && string(text[:3]) == "\ufeff" {
		return nil, errors.New("it begins with a byte order mark")
	}
	plain := make([]byte, 0, len(text))
	const code, str, line, block = 0, 1, 2, 3
	state := code
	for i := 0; i < len(text); i++ {
		c, next := text[i], byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		two := false
		switch {
		case state == code && c == '"':
			state = str
		case state == str && c == '"':
			state = code
		case state == str && c == '\\':
			two = true
		case state == code && c == '/' && next == '/':
			state, c = line, ' '
		case state == code && c == '/' && next == '*':
			state, two, c, next = block, true, ' ', ' '
		case state == line && c == '\n':
			state = code
		case state == block && c == '*' && next == '/':
			state, two, c, next = code, true, ' ', ' '
		case (state == line || state == block) && c != '\n' && c != '\r':
			c = ' '
		}
		plain = append(plain, c)
		if two && i+1 < len(text) {
			plain = append(plain, next)
			i++
		}
	}
	return plain, nil
}
