package rules

import _ "embed"

// BuiltinFile is the built-in rules as a person reads them.
//
//go:embed builtin.toml
var BuiltinFile []byte

//go:generate go test . -run TestBuiltinIsItsFile -update

// Builtin returns the built-in rules. They are in the program as values of Go, so that no run of the
// hook reads them. The caller must not change them.
func Builtin() Set { return builtin }
