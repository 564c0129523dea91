//go:build !linux && !darwin

package rename

func Exchange(string, string) error { return ErrUnsupported }

func NoReplace(string, string) error { return ErrUnsupported }
