//go:build unix && !linux

package doctor

// room returns why nothing more can be kept in a folder.
func room(dir string) error { return counted(dir) }
