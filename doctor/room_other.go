//go:build unix && !linux

package doctor

// room returns an error if a folder has no room.
func room(dir string) error { return counted(dir) }
