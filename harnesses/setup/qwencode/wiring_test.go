package qwencode

import (
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// No hook is registered, but those of an older wsi are found.
func TestWiring(t *testing.T) {
	env := envtest.New(t, nil, nil)
	w, err := Harness().Wiring(env, setup.User, setup.Program{Path: "/opt/wsi", Servers: []string{"shop"}})
	if err != nil || len(w.Hooks) != 1 || len(w.Hooks[0].Entries) != 0 || w.Hooks[0].Harness != harnesses.QwenCode {
		t.Fatalf("%+v, %v", w, err)
	}
}
