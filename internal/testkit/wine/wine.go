// Package wine says whether a test runs in Wine, which implements Windows on Linux. What Wine lacks is tested only on
// Windows itself.
//
// It must not know what is tested.
package wine

import "testing"

// Skip skips a test in Wine. lack says which behaviour of Windows Wine does not have.
func Skip(t testing.TB, lack string) {
	t.Helper()
	if v := Version(); v != "" {
		t.Skip("Wine " + v + " lacks it: " + lack)
	}
}
