package atomicfile

import "os"

// keepOwner does nothing: a new file inherits the folder's access list, as the replaced file did.
func keepOwner(*os.File, string) error { return nil }

// syncDir does nothing: Windows cannot flush a folder, and the file system journals the rename.
func syncDir(string) error { return nil }

// Check returns nil. On Windows only [Replace] finds out whether an access list or an open file prevents writing.
func Check(string) error { return nil }
