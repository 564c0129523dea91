package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	codexharness "wsi/harnesses/codex"
)

// trusting are further arguments of wsi setup with which a harness runs the hooks.
var trusting = map[string][]string{codexharness.ID: {"--trust-codex-hooks"}}

// Setup registers wsi as its user would. Further arguments may follow.
func (r *Rig) Setup(ctx context.Context, more ...string) error {
	args := append([]string{"setup", "--yes", "--binary", r.wsi, "--harness", r.id, "--scope", string(r.Scope)}, trusting[r.id]...)
	if r.Way != "" {
		args = append(args, "--wiring", string(r.Way))
	}
	return r.runWsi(ctx, append(args, more...))
}

// Remove runs wsi remove.
func (r *Rig) Remove(ctx context.Context) error {
	return r.runWsi(ctx, []string{"remove", "--yes", "--harness", r.id, "--scope", string(r.Scope)})
}

func (r *Rig) runWsi(ctx context.Context, args []string) error {
	var env []string
	if r.id == codexharness.ID { // only Codex says what an approval of its hooks is
		env = []string{"PATH=" + filepath.Dir(r.binary) + string(os.PathListSeparator) + r.path}
	}
	out, err := r.run(ctx, r.wsi, args, env)
	if err != nil {
		return fmt.Errorf("wsi %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// OK reports whether everything was as it must be.
func (o Outcome) OK() bool {
	return o.Calls == o.Expected && o.Right == o.Needed && o.Leaks == 0 && len(o.Wrong) == 0
}

func (o Outcome) String() string {
	text := fmt.Sprintf("%d of %d calls, %d of %d tokens right, %d leaks", o.Calls, o.Expected, o.Right, o.Needed, o.Leaks)
	if len(o.Wrong) > 0 {
		text += " (" + strings.Join(o.Wrong, "; ") + ")"
	}
	return text
}
