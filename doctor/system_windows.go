package doctor

// writable returns nil: Windows cannot answer without a write.
func writable(string) error { return nil }

// userName is not used: wsi does not read the owner of a file on Windows.
func userName() string { return "" }

// room returns nil: wsi does not ask Windows for the room on a disk.
func room(string) error { return nil }
