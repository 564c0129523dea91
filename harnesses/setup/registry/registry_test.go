package registry

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/clients"
	"wsi/harnesses/dialects"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// In an empty home no harness is found.
func TestEmptyHome(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		env := envtest.New(t, nil, nil)
		env.GOOS = goos
		for _, h := range All() {
			if p, err := h.Find(env); err != nil || p.Found || len(p.Servers) > 0 {
				t.Errorf("%s, %s: %+v, %v", h.ID, goos, p, err)
			}
		}
	}
}

func TestEveryHarnessIsComplete(t *testing.T) {
	env := envtest.New(t, nil, nil)
	seen := map[string]bool{}
	for _, h := range All() {
		if seen[h.ID] || h.Name == "" || h.Find == nil || h.Wiring == nil || strings.Trim(h.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%q is not complete", h.ID)
		}
		seen[h.ID] = true
		if !h.RelayOnly() && (h.Codec == nil || h.Proof.Simulator == nil) {
			t.Errorf("%s has hooks, but no Codec or Simulator", h.ID)
		}
		if len(h.Choices) > 0 && len(h.Registers(env, setup.User)) == 0 {
			t.Errorf("%s has Choices, but no file with servers", h.ID)
		}
		for _, c := range h.Choices {
			if _, ok := setup.ParseMode(string(c.Mode)); !ok || c.Why == "" || strings.HasSuffix(c.Why, ".") {
				t.Errorf("%s: %+v", h.ID, c)
			}
		}
	}
}

// A simulator stops a call that the hook refuses, and makes it unchanged if the hook only tells the model something.
func TestSimulatorsReadAnswers(t *testing.T) {
	call := setup.ToolCall{Args: []byte(`{"a":1}`)}
	for _, h := range All() {
		const text = "say \"which\" one:\n\t<a> or é"
		if deny := h.Capabilities.Deny; deny != nil {
			if args, err := h.Proof.Simulator.Apply(call, deny(text), 0); !errors.Is(err, setup.ErrDenied) {
				t.Errorf("%s: a denied call is made with %s: %v", h.ID, args, err)
			}
		}
		if tell := h.Capabilities.Tell; tell != nil {
			if args, err := h.Proof.Simulator.Apply(call, tell(text), 0); err != nil || !bytes.Equal(args, call.Args) {
				t.Errorf("%s: with a note to the model the arguments are %s: %v", h.ID, args, err)
			}
		}
	}
}

// What hooks and relays know of a harness is what the installer and the doctor know of it.
func TestDialects(t *testing.T) {
	for _, h := range All() {
		if dialects.Get(h.ID).Codec != h.Codec || !sameFields(clients.Capabilities(h.ID), h.Capabilities) {
			t.Errorf("package dialects has another dialect of %s", h.ID)
		}
	}
}

// sameFields reports whether two structs have the same fields set.
func sameFields(a, b harnesses.Capabilities) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if x.Field(i).IsZero() != y.Field(i).IsZero() {
			return false
		}
	}
	return true
}

// Why a file is refused begins with the name of the harness, as it is spelled.
func TestReasonsBeginWithTheName(t *testing.T) {
	env, tried := envtest.New(t, nil, nil), 0
	for _, h := range All() {
		if h.Files.Reads == nil || h.Hooks.Validate == nil {
			continue
		}
		for _, file := range h.Files.Reads(env, setup.User) {
			tried++
			if err := h.Hooks.Validate(file, []byte("{ no file")); err == nil || !strings.HasPrefix(err.Error(), h.Name+" ") {
				t.Errorf("%s, %s: %v", h.Name, filepath.Base(file.Path), err)
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d files were tried", tried)
	}
}
