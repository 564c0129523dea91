//go:build unix

package main

import (
	"context"
	"testing"
	"time"
)

// A program that is asked for its version is waited for no longer than was said, also where one that
// it has started goes on and holds its output open.
func TestAProgramThatHoldsItsOutputOpen(t *testing.T) {
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := e.Output(ctx, "/bin/sh", "-c", "sleep 20; echo"); err == nil {
		t.Error("it has ended well")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
