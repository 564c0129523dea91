//go:build !linux && !darwin

package atomicfile

func exchange(string, string) error { return errUnable }

func moveToNothing(string, string) error { return errUnable }
