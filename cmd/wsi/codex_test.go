package main

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// codexStub puts a program named codex on the PATH, which lists hooks as Codex does: see [envtest.Codex].
func codexStub(ts *testscript.TestScript, _ bool, _ []string) {
	name := "codex"
	if strings.HasSuffix(ts.Getenv("WSI"), ".exe") {
		name += ".exe"
	}
	writeProgram(ts, filepath.Join(ts.Getenv("WORK"), "servers", name), "")
}
