package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"wsi/installer/wizard"
)

// Only a yes is one: a line that is none is asked again, and no answer, the end of the input and an interruption are a no.
func TestAgree(t *testing.T) {
	for answers, want := range map[string]bool{
		"y\n": true, "YES \n": true, "y": true, "what\nyes please\nyes\n": true, "n\n": false, "no\n": false, "\n": false, "": false, "what\n": false,
	} {
		var out strings.Builder
		e := env{Stdin: strings.NewReader(answers), Stdout: &out}
		err := e.agree(t.Context(), "write 2 files")
		if (err == nil) != want || !want && !errors.Is(err, wizard.ErrQuit) || !strings.HasPrefix(out.String(), "\nWrite 2 files? [y/N] ") {
			t.Errorf("%q: %v\n%s", answers, err, out.String())
		}
	}
	silent, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (env{Stdin: silent, Stdout: io.Discard}).agree(ctx, "write 1 file"); !errors.Is(err, wizard.ErrQuit) {
		t.Error(err)
	}
	if err := (env{}).agree(t.Context(), ""); err != nil {
		t.Errorf("there is nothing to ask: %v", err)
	}
}
