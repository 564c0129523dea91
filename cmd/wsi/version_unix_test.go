//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// Output ends at the deadline even if a child of the program holds the output open.
func TestOutputEndsAtDeadline(t *testing.T) {
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := e.Output(ctx, "/bin/sh", "-c", "sleep 20; echo"); err == nil {
		t.Error("no error")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Output limits how much it reads of a program that prints without end, also if that ignores SIGPIPE.
func TestOutputIsLimited(t *testing.T) {
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := e.Output(ctx, "/bin/sh", "-c", "while :; do echo 0123456789012345678901234567890123456789; done")
	if err == nil || ctx.Err() != nil || len(out) > 16<<20 {
		t.Errorf("%d bytes, %v, %v", len(out), err, ctx.Err())
	}
	if out, err = e.Output(ctx, "/bin/sh", "-c", "echo 1.2.3; echo no >&2"); err != nil || string(out) != "1.2.3\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// The error of Output has the program's exit status and standard error.
func TestOutputKeepsStderr(t *testing.T) {
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Output(t.Context(), "/bin/sh", "-c", "echo 'env: node: No such file or directory' >&2; exit 127")
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 127 || string(ended.Stderr) != "env: node: No such file or directory\n" {
		t.Errorf("%v, %+v", err, ended)
	}
}
