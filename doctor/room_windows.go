package doctor

// room: on Windows nothing is tried, for there what is tried is seen in the folder.
func room(string) error { return nil }
