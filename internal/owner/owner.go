// Package owner checks who owns a file. A program run as root in another user's folders leaves files there
// that the user can neither read nor change.
//
// It must not know what the files are for.
package owner

import "fmt"

// Another is the error for a file that root would write into another user's folder.
type Another struct {
	Path string // the file, or its nearest existing parent folder
	User string // the owner: a name, or "user 1000"
}

func (a Another) Error() string {
	return fmt.Sprintf("you are root, and %s belongs to %s, who could not use files that root writes there", a.Path, a.User)
}
