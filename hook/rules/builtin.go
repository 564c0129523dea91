package rules

import (
	_ "embed"
	"sync"
)

// BuiltinFile is the built-in rules as a person reads them.
//
//go:embed builtin.toml
var BuiltinFile []byte

// compiled is BuiltinFile in its compiled form, so that no run of the hook parses it. A test holds the
// two equal; `go test ./hook/rules -update` writes it.
//
//go:embed builtin.rules
var compiled []byte

var builtin = sync.OnceValues(func() (Set, error) { return Decode(compiled) })

// Builtin returns the built-in rules.
func Builtin() (Set, error) { return builtin() }
