package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"wsi/internal/testkit/terminal"
)

// The examination is over when the header says so.
const examined = `\d s, done`

// brokenWalk shows what is not approved in Codex.
var brokenWalk = walk{
	command: []string{"doctor"},
	prepare: func(ctx context.Context, h home) error { return h.wire(ctx) },
	stops: []stop{
		{name: "doctor-broken", see: examined},
		// Above it are wsi itself, Claude Code and Codex.
		{name: "doctor-detail", press: []terminal.Key{terminal.Down, terminal.Down, terminal.Down, terminal.Enter}, see: `asks +are the hooks approved`},
	},
	leave:  terminal.CtrlC,
	status: 1,
}

// healthyWalk shows a home in which all is well, and what is printed in the end. Cursor is not in it:
// of a value that it shows no hook, wsi can only warn.
var healthyWalk = walk{
	command: []string{"doctor"},
	prepare: func(ctx context.Context, h home) error {
		return errors.Join(h.without("cursor-agent", ".cursor"), h.wire(ctx, "--trust-codex-hooks"))
	},
	stops:  []stop{{name: "doctor", see: examined}},
	leave:  "q",
	record: "doctor-record",
}

// wire makes a home in which setup has been, and OpenCode has been started once.
func (h home) wire(ctx context.Context, flags ...string) error {
	setup := exec.CommandContext(ctx, h.program, append([]string{"setup", "--yes", "--binary", h.program}, flags...)...)
	setup.Env, setup.Dir = h.env(), h.cwd
	if out, err := setup.CombinedOutput(); err != nil {
		return fmt.Errorf("wsi setup: %w\n%s", err, out)
	}
	library := filepath.Join(h.dir, ".config", "opencode")
	if err := os.Mkdir(filepath.Join(library, "node_modules"), 0o700); err != nil {
		return err
	}
	lock := `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`
	return os.WriteFile(filepath.Join(library, "package-lock.json"), []byte(lock), 0o600)
}

// without takes a harness off the machine.
func (h home) without(binary, config string) error {
	if err := os.Remove(filepath.Join(aside, binary)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(filepath.Join(h.dir, config))
}
