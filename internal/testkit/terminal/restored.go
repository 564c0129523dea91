package terminal

import (
	"os"
	"testing"
)

// Restored runs one test of this program in a terminal, with a variable set, and user does what ends it. It fails the test unless
// the terminal is restored, and returns the text that stays on it.
func Restored(t *testing.T, test, variable string, user func(*Session) error) string {
	t.Helper()
	s, err := Start(t.Context(), Program{Args: []string{os.Args[0], "-test.run=^" + test + "$"}, Env: append(os.Environ(), variable)})
	if err != nil {
		t.Fatal(err)
	}
	if err := user(s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exit(); err != nil {
		t.Fatal(err)
	}
	if left := s.LeftOn(); left != nil {
		t.Errorf("left on: %v", left)
	}
	return s.Screen().History().Text()
}
