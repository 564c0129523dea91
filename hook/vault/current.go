package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"wsi/internal/plainfile"
	"wsi/internal/rename"
)

// Current is the specification's file current.token: the value last captured by the workflow-server rule. A
// user pastes it to resume, and an event without a session id uses it. An event with a session id never
// does, because the server would accept another session's token and rewind that session.
type Current struct{ Path string }

// CurrentIn returns the file below a home folder.
func CurrentIn(home string) Current {
	return Current{Path: filepath.Join(home, ".claude", "workflow-server-tokens", "current.token")}
}

// Load returns the value, "" if there is none.
func (c Current) Load() (string, error) {
	raw, err := plainfile.Read(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read current token: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// Save makes value the current one.
func (c Current) Save(value string) error {
	if err := rename.Write(c.Path, []byte(value)); err != nil {
		return fmt.Errorf("keep current token: %w", err)
	}
	return nil
}
