package main

import (
	"os"
	"testing"

	"wsi/internal/testkit/envtest"
)

// TestMain plays Codex, as main does.
func TestMain(m *testing.M) {
	if os.Getenv(playCodex) != "" {
		envtest.Codex()
		return
	}
	os.Exit(m.Run())
}
