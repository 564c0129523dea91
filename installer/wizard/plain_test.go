package wizard

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/internal/testkit/terminal"
)

// typed returns the answers as lines.
func typed(answers string) string {
	var b strings.Builder
	torn, whole := strings.CutSuffix(answers, "|!") // the last line does not end
	for _, a := range strings.FieldsFunc(torn, func(r rune) bool { return r == '|' }) {
		b.WriteString(strings.TrimPrefix(a, "-") + "\n")
	}
	if whole {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// The plan as text, and one question.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		answers string // | after each, - is an empty one
		err     error
		applied bool
	}{
		{"all", home, "y", nil, true},
		{"declined", home, "n", ErrQuit, false},
		{"misunderstood", home, "what|yes please|-", ErrQuit, false},
		{"ended-at-once", home, "", ErrQuit, false},
		{"ended-in-a-line", home, "y|!", nil, true},
		{"edited", editedHome, "yes", nil, true},
		{"unreadable", with(home, ".claude/settings.json", "{"), "y", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := settle(t, c.files)
			config.Echo = true
			before := tree(t, config.Options.Env.Home)
			var out strings.Builder
			end, err := Plain(t.Context(), config, strings.NewReader(typed(c.answers)), &out)
			if err != nil || !errors.Is(end.Err, c.err) || end.Review.Applied != c.applied {
				t.Errorf("ends with %v, applied: %v, %v\n%s", end.Err, end.Review.Applied, err, out.String())
			}
			said := out.String() + end.Record(false)
			terminal.Compare(t, *update, filepath.Join("testdata", "plain", c.name+".txt"), brief(posix(said, config.Options.Env.Home)))
			diff := cmp.Diff(before, tree(t, config.Options.Env.Home))
			if c.applied == (diff == "") {
				t.Errorf("applied: %v, and yet the files differ so:\n%s", c.applied, diff)
			}
		})
	}
}

// brief removes most of the added lines of a diff.
func brief(s string) string {
	var b strings.Builder
	added := 0
	for line := range strings.SplitSeq(s, "\n") {
		if added++; !strings.HasPrefix(line, "+") {
			added = 0
		}
		switch {
		case added == 5:
			b.WriteString("…\n")
		case added < 5:
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// An interrupted question ends Plain at once.
func TestPlainInterrupted(t *testing.T) {
	c := settle(t, home)
	before := tree(t, c.Options.Env.Home)
	silent, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	end, err := Plain(ctx, c, silent, io.Discard)
	if err != nil || !errors.Is(end.Err, ErrQuit) || time.Since(began) > 10*time.Second {
		t.Errorf("ends with %v, %v after %s", end.Err, err, time.Since(began))
	}
	if diff := cmp.Diff(before, tree(t, c.Options.Env.Home)); diff != "" {
		t.Errorf("files differ:\n%s", diff)
	}
}
