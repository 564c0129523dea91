package doctor

import (
	"os/exec"
	"slices"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/wine"
)

// noShell says why the shell with which a harness runs its hooks is not here, "" if it is: Windows has bash only with Git.
func (w *world) noShell(h setup.Harness) string {
	shell := h.Proof.Simulator.Shell(w.env(), "x")
	if len(shell) == 0 { // it runs programs without one
		return ""
	}
	if _, err := exec.LookPath(shell[0]); err != nil {
		return h.Name + " runs hooks with " + shell[0] + ", which is not here"
	}
	if shell[0] == "powershell" && wine.Version() != "" {
		return h.Name + " runs hooks with PowerShell, and Wine " + wine.Version() + " has only a program of that name that does nothing"
	}
	return ""
}

// needsShell skips the test where the hooks of a harness cannot be run.
func (w *world) needsShell(id string) {
	w.t.Helper()
	h, ok := registry.Get(id)
	if !ok {
		w.t.Fatal(id)
	}
	if why := w.noShell(h); why != "" {
		w.t.Skip(why)
	}
}

// leaveOut leaves those harnesses out whose hooks cannot be run here. TestShells says which.
func (w *world) leaveOut(except ...string) {
	w.harnessList = slices.DeleteFunc(w.harnessList, func(h setup.Harness) bool {
		return w.noShell(h) != "" && !slices.Contains(except, h.ID)
	})
}

func (w *world) has(id string) bool {
	return slices.ContainsFunc(w.harnessList, func(h setup.Harness) bool { return h.ID == id })
}

// What is left out of tests with several harnesses is seen here.
func TestShells(t *testing.T) {
	for _, h := range newWorld(t, "").harnessList {
		t.Run(h.ID, func(t *testing.T) { newWorld(t, "").needsShell(h.ID) })
	}
}
