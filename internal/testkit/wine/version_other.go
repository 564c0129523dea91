//go:build !windows

package wine

// Version returns "": this is not Windows.
func Version() string { return "" }
