//go:build race

package relay

func init() { slow = true }
