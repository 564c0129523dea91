package main

import (
	"errors"

	"wsi/internal/owner"
)

// mayWrite returns an error if root runs a command that writes into another user's folders. With sudo the home
// folder often stays the user's, and the user can neither read nor change files that root creates there.
func (e env) mayWrite(command string, paths ...string) error {
	for _, path := range paths {
		var a owner.Another
		if err := owner.Check(path); errors.As(err, &a) {
			hint := "run it as " + a.User + ": sudo -u " + a.User + " wsi " + command
			if e.Getenv("SUDO_USER") == a.User {
				hint = "run it as " + a.User + ", without sudo: wsi " + command
			}
			return failure{err: err, hint: hint, exit: 1}
		}
	}
	return nil
}
