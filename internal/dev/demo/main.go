// Command demo shows how wsi works, without an installed harness. First a call fails without wsi and works with it. Then it
// makes a temporary home folder with the configuration of four harnesses, and runs in it: setup --dry-run, setup, calls to
// today's workflow-server, the doctor and remove. At the end every file must be as before. It exits with status 1 if a
// step fails.
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
	"wsi/internal/testkit/samplehome"
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
	setup := func(flag string) func() error {
		return func() error { return h.wsi("setup", flag, "--trust-codex-hooks", "--binary", h.program) }
	}
	for i, step := range []struct {
		heading string
		do      func() error
	}{
		{"One call, without wsi and with it", h.both},
		{"A home folder with four harnesses, each with the user's settings", func() error {
			fmt.Println("   ~/" + strings.Join(slices.Sorted(maps.Keys(samplehome.Files(""))), "\n   ~/"))
			fmt.Println("\nIt is removed at the end. Your own files stay as they are. It needs no harness.")
			return nil
		}},
		{"What wsi would change, so that the harnesses run its hooks", setup("--dry-run")},
		{"The changes are made. The second run changes nothing", func() error {
			return errors.Join(setup("--yes")(), setup("--yes")())
		}},
		{"Today's workflow-server, through wsi relay: what it says in _meta", h.today},
		{"The doctor's round trip for every harness, with its own MCP server", func() error { return h.wsi("doctor") }},
		{"wsi is removed", func() error { return h.wsi("remove", "--yes", "--purge") }},
	} {
		fmt.Printf("\n%d. %s\n\n", i+1, step.heading)
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
	fmt.Println("\n✓ All files are as before, byte for byte, and no other file is left.\n✓ Every step did what it should.")
	fmt.Println("To install wsi, run make install, then wsi setup. To remove it, run wsi remove.")
	return nil
}
