package atomicfile

// Ties say what depends on a file in addition to its path.
type Ties struct {
	Mounted bool // something is mounted on the path, as in containers: nothing can be renamed over it
	Linked  bool // the file has other names (hard links), which keep the old content if this one is replaced
}

// ProtectedError is the error for a file or folder that an attribute protects, also from its owner.
type ProtectedError struct{ Path, Attribute string } // the attribute is i or a, as for chattr

func (p ProtectedError) Error() string {
	return "it is " + map[string]string{"i": "immutable", "a": "append-only"}[p.Attribute]
}
