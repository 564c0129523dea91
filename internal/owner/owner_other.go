//go:build !unix

package owner

// Check returns nil: there is no root here.
func Check(string) error { return nil }
