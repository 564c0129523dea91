package doctor

// writable returns nil: Windows cannot answer without a write.
func writable(string) error { return nil }

// userName is not used: wsi does not read the owner of a file on Windows.
func userName() string { return "" }

// room tries nothing on Windows, where a temporary file would be visible in the folder.
func room(string) error { return nil }
