package wizard

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// typed makes lines of what was answered.
func typed(answers string) string {
	var b strings.Builder
	for _, a := range strings.FieldsFunc(answers, func(r rune) bool { return r == '|' }) {
		b.WriteString(strings.TrimPrefix(a, "-") + "\n")
	}
	return b.String()
}

// The conversation, line by line, with what was answered.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		answers string // | after each, - is an empty one
		err     error
		applied bool
	}{
		{"all", home, "-|-|-|-|-|-|n|y", nil, true},
		{"trusted", home, "user|n|y|no|n|-|y|y", nil, true},
		{"project", home, "project|y|n|n|n|workflow-server,wf|y", nil, true},
		{"declined", home, "-|n|n|y|n|-|n", ErrQuit, false},
		{"misunderstood", home, "what|n|n|hm|n|-|y", ErrQuit, false},
		{"ended", home, "-|-|-|-|-|-|n", ErrQuit, false},
		{"ended-at-once", home, "", ErrQuit, false},
		{"nothing-chosen", home, "-|n|n|n|n", ErrQuit, false},
		{"edited", editedHome, "-|n|n|n|y|-|n", nil, false},
		{"edited-replaced", editedHome, "-|n|n|n|y|-|y|y", nil, true},
		{"unreadable", with(home, ".claude/settings.json", "{"), "-|y|n|y|n|-|y", nil, true},
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
			compare(t, filepath.Join("testdata", "plain", c.name+".txt"), brief(strings.ReplaceAll(said, config.Options.Env.Home, "~")))
			diff := cmp.Diff(before, tree(t, config.Options.Env.Home))
			if c.applied == (diff == "") {
				t.Errorf("applied: %v, and yet the files differ so:\n%s", c.applied, diff)
			}
		})
	}
}

// brief leaves out most of the lines that a diff adds.
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
