package inquiry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/state"
)

// A program is asked once for a file, and again if it, or the file, is another. What it said outlives the run.
func TestAsked(t *testing.T) {
	dir, program := t.TempDir(), filepath.Join(t.TempDir(), "program")
	install := func(content string) {
		t.Helper()
		if err := os.WriteFile(program, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	install("1")
	asked, silent := 0, false
	h := setup.Harness{ID: "h", Find: func(setup.Env) (setup.Presence, error) { return setup.Presence{Binary: program}, nil }}
	h.Hooks.Ask = func(_ context.Context, _ setup.Env, binary, dir string, content []byte) (said setup.Answer, err error) {
		asked++
		if binary != program || dir == "" {
			t.Errorf("it is asked with %s in %q", binary, dir)
		}
		switch {
		case silent:
			return said, errors.New("it does not say")
		case strings.Contains(string(content), "bad"):
			said.Refused = &setup.InvalidConfigError{Effect: "e", Place: "p", Why: "w", Fix: "f", Said: true}
		case strings.Contains(string(content), "part"):
			said.Ignored = []setup.IgnoredEntry{{Path: []string{"hooks", "X"}, Why: "not known"}}
		}
		return said, nil
	}
	removed := 0
	env := setup.Env{Scratch: func() (string, func(), error) { return t.TempDir(), func() { removed++ }, nil }}
	asking := func() *Answers {
		return &Answers{StateDir: dir, May: true}
	}
	say := func(a *Answers, content string) string {
		known, said := a.Asked(env, h, []byte(content))
		switch {
		case !known:
			return "unknown"
		case said.Refused != nil:
			return said.Refused.Error()
		case len(said.Ignored) > 0:
			return "without " + strings.Join(said.Ignored[0].Path, " ")
		}
		return "accepted"
	}
	step := func(a *Answers, content, want string, times int) {
		t.Helper()
		if got := say(a, content); got != want || asked != times || removed != times {
			t.Errorf("%s: got %s, asked %d times, removed %d folders; want %s, %d", content, got, asked, removed, want, times)
		}
	}
	kept := &Answers{StateDir: dir}
	step(kept, "bad secret", "unknown", 0)
	first := asking()
	step(first, "bad secret", "e: p: w", 1)
	step(first, "bad secret", "e: p: w", 1)
	step(first, "good", "accepted", 2)
	step(asking(), "good", "accepted", 2)
	kept = &Answers{StateDir: dir}
	step(kept, "bad secret", "e: p: w", 2)
	step(kept, "good", "accepted", 2)
	step(kept, "another", "unknown", 2)
	silent = true
	step(first, "another", "unknown", 3)
	silent = false
	step(first, "another", "unknown", 3) // in this run it has been asked
	install("22")
	step(first, "good", "accepted", 4)
	if err := os.Chtimes(program, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	step(&Answers{StateDir: dir}, "good", "unknown", 4)
	step(asking(), "part", "without hooks X", 5)
	step(&Answers{StateDir: dir}, "part", "without hooks X", 5)
	content, err := os.ReadFile(filepath.Join(dir, state.Asked))
	if err != nil || strings.Contains(string(content), "secret") || strings.Contains(string(content), program) {
		t.Errorf("%v, it has %s", err, content)
	}
}

// Where wsi keeps nothing, it makes no folder. A damaged file is written again.
func TestAskedKeeps(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	h := setup.Harness{Find: func(setup.Env) (setup.Presence, error) { return setup.Presence{Binary: program}, nil }}
	h.Hooks.Ask = func(context.Context, setup.Env, string, string, []byte) (setup.Answer, error) {
		return setup.Answer{}, nil
	}
	none, damaged := filepath.Join(t.TempDir(), "none"), t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, state.Asked), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{none, damaged, ""} {
		a := &Answers{StateDir: dir, May: true}
		env := setup.Env{Scratch: func() (string, func(), error) { return t.TempDir(), func() {}, nil }}
		for i := range most + 5 {
			if known, _ := a.Asked(env, h, []byte{byte(i), byte(i >> 8)}); !known {
				t.Errorf("%q: not asked", dir)
			}
		}
		if len(a.kept) > most {
			t.Errorf("it keeps %d answers", len(a.kept))
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("it made a folder")
	}
	if content, _ := os.ReadFile(filepath.Join(damaged, state.Asked)); len(content) < 10 {
		t.Errorf("the damaged file is %q", content)
	}
}

// A program is asked again whether it starts once a file that it reads is another.
func TestStarts(t *testing.T) {
	content, asked := "one", 0
	h := setup.Harness{ID: "h", Find: func(env setup.Env) (setup.Presence, error) {
		_, err := env.ReadFile("config")
		return setup.Presence{Binary: "program"}, err
	}}
	h.Proof.Starts = func(_ context.Context, env setup.Env, _, _ string) error {
		asked++
		if text, _ := env.ReadFile("config"); string(text) == "bad" {
			return setup.InvalidConfigError{Why: "w"}
		}
		return errors.New("it has not answered")
	}
	env := setup.Env{
		ReadFile: func(string) ([]byte, error) { return []byte(content), nil },
		Scratch:  func() (string, func(), error) { return t.TempDir(), func() {}, nil },
	}
	a := &Answers{May: true}
	for i, c := range []struct {
		content string
		refused bool
		asked   int
	}{{"one", false, 1}, {"one", false, 1}, {"bad", true, 2}, {"bad", true, 2}, {"one", false, 2}} {
		content = c.content
		if err := a.Starts(env, h); (err != nil) != c.refused || asked != c.asked {
			t.Errorf("%d: %v, asked %d times", i, err, asked)
		}
	}
	if err := (&Answers{}).Starts(env, h); err != nil || asked != 2 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}
