package wizard

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The conversation, line by line, with what was answered.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		answers string // one per line
		err     error
		applied bool
	}{
		{"all", home, "\n\n\n\n\n\nn\ny\n", nil, true},
		{"trusted", home, "user\nn\ny\nno\nn\n\ny\ny\n", nil, true},
		{"project", home, "project\ny\nn\nn\nn\nworkflow-server, wf\ny\n", nil, true},
		{"declined", home, "\nn\nn\ny\nn\n\nn\n", ErrQuit, false},
		{"misunderstood", home, "what\nn\nn\nhm\nn\n\ny\n", ErrQuit, false},
		{"ended", home, "\n\n\n\n\n\nn\n", ErrQuit, false},
		{"ended-at-once", home, "", ErrQuit, false},
		{"nothing-chosen", home, "\nn\nn\nn\nn\n", ErrQuit, false},
		{"edited", editedHome, "\nn\nn\nn\ny\n\nn\n", nil, false},
		{"edited-replaced", editedHome, "\nn\nn\nn\ny\n\ny\ny\n", nil, true},
		{"unreadable", with(home, ".claude/settings.json", "{"), "\ny\nn\ny\nn\n\ny\n", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := settle(t, c.files)
			config.Echo = true
			before := tree(t, config.Options.Env.Home)
			var out strings.Builder
			end, err := Plain(t.Context(), config, strings.NewReader(c.answers), &out)
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
