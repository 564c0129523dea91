package doctor

import (
	"os"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// A bug at one harness ends in an error that names it, not in the end of the program, and leaves no
// folder behind.
func TestAPanicIsAnError(t *testing.T) {
	temp := t.TempDir()
	h := setup.Harness{ID: "one", Name: "Harness One", Find: func(setup.Env) (setup.Presence, error) { panic("a bug") }}
	_, err := Run(t.Context(), Options{Env: envtest.New(t, nil, nil), TempDir: temp, Harnesses: []setup.Harness{h}}, "")
	if err == nil || !strings.Contains(err.Error(), "wsi failed while examining Harness One: a bug") {
		t.Errorf("err = %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}
