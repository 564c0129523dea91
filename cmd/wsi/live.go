package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/doctor/live"
)

// prover makes wsi doctor --live. What goes on is written to the file named by trace, unless that is
// ""; done closes it.
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
		return p, done, failure{err: fmt.Errorf("--trace writes over no file, and %s is there", trace), hint: "name a file that is not there yet", exit: 1}
	case err != nil:
		return p, done, failure{err: fmt.Errorf("--trace cannot write: %w", err), exit: 1}
	}
	p.Trace = &live.Trace{Out: f}
	return p, f.Close, nil
}
