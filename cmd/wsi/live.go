package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/doctor/live"
)

// prover returns the prover of wsi doctor --live. It writes a trace to the file named by trace, unless
// that is "". done closes the file.
func (e env) prover(trace string) (p live.Prover, done func() error, err error) {
	done = func() error { return nil }
	if p.Wsi, err = os.Executable(); err == nil {
		p.Wsi, err = filepath.EvalSymlinks(p.Wsi)
	}
	if err != nil || trace == "" {
		return p, done, err
	}
	if err := e.mayWrite("doctor --live --trace", trace); err != nil {
		return p, done, err
	}
	f, err := os.OpenFile(trace, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return p, done, failed("name a new file", "--trace: %s already exists", trace)
	case err != nil:
		return p, done, fmt.Errorf("--trace: %w", err)
	}
	p.Trace = &live.Trace{Out: f}
	return p, f.Close, nil
}
