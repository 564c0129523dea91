// Command demo shows how wsi works, without an installed harness. First a call fails without wsi and works with it. Then it
// makes a temporary home folder with the configuration of four harnesses, and runs in it: setup --dry-run, setup, calls to a
// server of each generation, the doctor and remove. At the end every file must be as before. It exits with status 1 if a
// step fails.
//
// It reads and writes no files of the user. It must not know how wsi edits files.
package main

import (
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

func run() error {
	h, err := newHome()
	if err != nil {
		return err
	}
	defer h.discard()

	before, err := h.snapshot()
	if err != nil {
		return err
	}

	say("1. One call, without wsi and with it")
	if err := h.both(); err != nil {
		return err
	}

	say("2. A home folder with four harnesses, each with the user's settings")
	samples := slices.Sorted(maps.Keys(samplehome.Files("")))
	for _, name := range samples {
		fmt.Println("   ~/" + name)
	}
	fmt.Println("\nIt is removed at the end. Your own files stay as they are. It needs no harness.")

	say("3. What wsi would change, so that the harnesses run its hooks")
	binary := []string{"--binary", h.program}
	if err := h.wsi(append([]string{"setup", "--dry-run", "--trust-codex-hooks"}, binary...)...); err != nil {
		return err
	}

	say("4. The changes are made. The second run changes nothing")
	for range 2 {
		if err := h.wsi(append([]string{"setup", "--yes", "--trust-codex-hooks"}, binary...)...); err != nil {
			return err
		}
	}

	say("5. One call, as Claude Code would make it")
	if err := h.call(); err != nil {
		return err
	}

	say("6. The same for today's workflow-server, by wsi relay: what it says in _meta")
	if err := h.today(); err != nil {
		return err
	}

	say("7. The doctor's round trip for every harness, with its own MCP server")
	if err := h.wsi("doctor"); err != nil {
		return err
	}

	say("8. wsi is removed")
	return h.removed(before, len(samples))
}

// removed removes wsi, and compares the home with what it was before.
func (h *home) removed(before map[string]string, samples int) error {
	if err := h.wsi("remove", "--yes", "--purge"); err != nil {
		return err
	}
	after, err := h.snapshot()
	if err != nil {
		return err
	}
	if different := differences(before, after); len(different) > 0 {
		return fmt.Errorf("not as before: %s", strings.Join(different, ", "))
	}
	fmt.Printf("\n✓ All %d files are as before, byte for byte, and no other file is left.\n", samples)
	fmt.Println("✓ Every step did what it should.")
	fmt.Println("To install wsi, run make install, then wsi setup. To remove it, run wsi remove.")
	return nil
}

func say(heading string) { fmt.Printf("\n%s\n\n", heading) }
