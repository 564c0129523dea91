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

// examined matches the header at the end of the checks.
const examined = `wsi doctor {2,}\d+\.\d s`

// brokenWalk shows hooks that are not approved in Codex.
var brokenWalk = walk{
	command: []string{"doctor"},
	prepare: func(ctx context.Context, h home) error { return h.wire(ctx) },
	stops: []stop{
		{name: "doctor-broken", see: examined},
		// The cursor begins on what is broken.
		{name: "doctor-detail", press: []terminal.Key{terminal.Enter}, see: `esc back`},
		{name: "doctor-hooks", press: []terminal.Key{"h"}, see: `\d hooks in \d`},
	},
	leave:  terminal.CtrlC,
	status: 1,
}

// healthyWalk shows a home without problems and the final report. It has no Cursor, which cannot be
// tried here.
var healthyWalk = walk{
	command: []string{"doctor"},
	prepare: func(ctx context.Context, h home) error {
		return errors.Join(h.without("cursor-agent", ".cursor"), h.wire(ctx, "--trust-codex-hooks"))
	},
	stops:  []stop{{name: "doctor", see: examined}},
	leave:  "q",
	record: "doctor-record",
}

// wire runs setup in the home, and adds the files that OpenCode writes when it starts.
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

// without removes a harness from the machine.
func (h home) without(binary, config string) error {
	if err := os.Remove(filepath.Join(h.programs, binary)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(filepath.Join(h.dir, config))
}
