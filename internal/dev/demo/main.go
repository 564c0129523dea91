// Program try shows wsi at work to somebody who has no harness installed. It makes a throw-away
// home with the configuration of four harnesses, full of other people's settings, and walks
// through it: what setup would change, setup, one call, the doctor's round trip, remove. At the end
// every file must be as it was. It fails if anything on the way does.
//
// Nothing of the user's is read or written: wsi runs in an environment made from nothing.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := try(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func try() error {
	h, err := newHome()
	if err != nil {
		return err
	}
	defer h.discard()

	say("1. A home with four harnesses in it, each with settings of its user")
	before, err := h.snapshot()
	if err != nil {
		return err
	}
	for _, s := range samples() {
		fmt.Println("   ~/" + s.name)
	}
	fmt.Println("\nIt is thrown away at the end; nothing of yours is read or changed. No harness is needed.")

	say("2. What wsi would change in it, so that the harnesses run its hooks")
	binary := []string{"--binary", h.program}
	if err := h.wsi(append([]string{"setup", "--dry-run", "--trust-codex-hooks"}, binary...)...); err != nil {
		return err
	}

	say("3. Now for real, and once more: the second time there is nothing left to do")
	for range 2 {
		if err := h.wsi(append([]string{"setup", "--yes", "--trust-codex-hooks"}, binary...)...); err != nil {
			return err
		}
	}

	say("4. One call, as Claude Code would make it")
	if err := h.call(); err != nil {
		return err
	}

	say("5. The round trip for every harness, as the doctor plays it against its own MCP server")
	if err := h.wsi("doctor"); err != nil {
		return err
	}

	say("6. And out again")
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
	fmt.Printf("\nAll %d files are byte for byte as they were, and nothing was left behind.\n", len(samples()))
	fmt.Println("To have wsi for yourself: make install, then wsi setup. wsi remove takes it out again.")
	return nil
}

func say(heading string) { fmt.Printf("\n%s\n\n", heading) }
