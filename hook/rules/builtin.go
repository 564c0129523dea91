package rules

//go:generate go test . -run TestBuiltinIsItsFile -update

// Builtin returns the built-in rules, which the caller must not change. They are Go values, so that a run of
// the hook does not parse them.
func Builtin() Set { return builtin }
