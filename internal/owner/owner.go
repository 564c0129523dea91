// Package owner knows whose a file is, where that matters: a program that root runs in another user's folders
// leaves files there which that user can neither read nor change.
//
// It must not know what is written.
package owner

import "fmt"

// Another is the error of writing as root what would be in another user's folder.
type Another struct {
	Path string // what is another user's: the file, or the nearest folder above it that exists
	User string // whose it is, a name or "user 1000"
}

func (a Another) Error() string {
	return fmt.Sprintf("you are root, and %s belongs to %s, who could not use what root writes there", a.Path, a.User)
}
