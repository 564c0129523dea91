package doctor

// room tries nothing on Windows, where a temporary file would be visible in the folder.
func room(string) error { return nil }
