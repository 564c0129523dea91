//go:build !linux

package envtest

// InMemory does nothing: only Linux has a folder in memory.
func InMemory() (remove func()) { return func() {} }
