package doctor

import (
	"os"
	"testing"

	"wsi/internal/testkit/envtest"
)

// What one check has found all others find, and asking again costs nothing.
func TestSteady(t *testing.T) {
	env := envtest.New(t, nil, nil)
	asked := 0
	env.ReadFile = func(string) ([]byte, error) { asked++; return []byte("{}"), nil }
	env.LookPath = func(string) (string, error) { asked++; return "", os.ErrNotExist }
	env.Resolve = func(path string) (string, error) { asked++; return path + "/real", nil }
	env = steady(env)
	for range 3 {
		content, err := env.ReadFile("a")
		if err != nil || string(content) != "{}" {
			t.Errorf("%q, %v", content, err)
		}
		content[0] = 'x' // the caller may change its copy
		if _, err := env.LookPath("a"); !os.IsNotExist(err) {
			t.Error(err)
		}
		if path, err := env.Resolve("a"); err != nil || path != "a/real" {
			t.Error(path, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}
