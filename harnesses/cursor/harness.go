// Package cursor is all that wsi knows of Cursor.
package cursor

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "cursor"

// Harness returns what wsi knows of Cursor.
func Harness() harnesses.Harness {
	return harnesses.Harness{ID: ID, Name: "Cursor"}
}
