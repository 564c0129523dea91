//go:build !linux && !darwin

package atomicfile

func exchange(string, string) error { return errUnsupported }

func renameNoReplace(string, string) error { return errUnsupported }
