package main

import (
	"testing"

	"wsi/harnesses/setup"
)

// No other command of wsi is taken for a damaged hook.
func TestCommandsAreNotDamagedHooks(t *testing.T) {
	for _, c := range newRootCmd(env{}).Commands() {
		if c.Flags().Lookup("harness") != nil && setup.Damaged("/opt/wsi "+c.Name()+" --harness codex", "codex") {
			t.Errorf("wsi %s --harness codex", c.Name())
		}
	}
}
