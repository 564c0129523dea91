//go:build !linux && !darwin

package rename

// Exchange returns ErrUnsupported.
func Exchange(string, string) error { return ErrUnsupported }

// NoReplace returns ErrUnsupported.
func NoReplace(string, string) error { return ErrUnsupported }
