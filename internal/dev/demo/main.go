// Command demo shows how wsi works, without an installed harness, in at most 60 lines. First a call fails without wsi and works
// with it. Then it runs setup, the doctor and remove in a temporary home folder with the configuration of four harnesses. At the
// end every file must be as before. It exits with status 1 if a step fails.
//
// It reads and writes no files of the user. It must not know how wsi edits files.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/internal/testkit/envtest"
)

func main() {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "codex") {
		envtest.Codex()
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	h, err := newHome()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(h.root)) }()
	before, err := h.snapshot()
	if err != nil {
		return err
	}
	for i, step := range []struct {
		heading string
		do      func() error
	}{
		{"One call, without wsi and with it", h.both},
		{"What the server says in _meta, which Codex does not show its model", h.today},
		{"Setup shows each change before it makes it (here: Cursor's)", func() error { return h.wsi(15, "setup", "--dry-run", "--harness", "cursor") }},
		{"It sets up four harnesses in a home that is removed at the end", func() error { return h.wsi(6, "setup", "--yes", "--trust-codex-hooks") }},
		{"The doctor makes a round trip for each of them", func() error { return h.wsi(8, "doctor") }},
		{"Remove undoes it", func() error { return h.wsi(1, "remove", "--yes", "--purge") }},
	} {
		fmt.Printf("\n%d. %s\n", i+1, step.heading)
		if err := step.do(); err != nil {
			return err
		}
	}
	after, err := h.snapshot()
	if err != nil {
		return err
	}
	if !maps.Equal(before, after) {
		return fmt.Errorf("the files are not as before: %q, then %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	fmt.Println("✓ All files are as before, byte for byte, and no other file is left.")
	fmt.Println("\nTo use it: make install, then wsi setup. To undo it: wsi remove.")
	return nil
}
