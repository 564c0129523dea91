package claudecode

import (
	"bytes"
	"errors"

	"wsi/harnesses/setup"
)

// validate returns an error if a file is not a JSON object: Claude Code ignores all of it then. Whether it accepts what is in the
// object, its program says: see [ask]. A byte order mark, and an empty or blank file, are no errors (2.1.332).
func validate(_ setup.HookFile, content []byte) error {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(bytes.TrimSpace(content)) == 0 {
		return nil
	}
	root, err := setup.DecodeJavaScript(content)
	switch {
	case err != nil:
		err = setup.ExplainJSON(content, err)
	case root == nil:
		err = errors.New("it is null, not an object")
	default:
		return nil
	}
	return setup.InvalidConfigError{Effect: "Claude Code ignores the whole file", Why: err.Error()}
}
