package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"wsi/doctor"
	wsihook "wsi/hook"
	"wsi/internal/refserver"
)

// Trace writes down what went on between a harness, its model, the hooks and the server. Values are
// numbered in the order in which the server handed them out.
type Trace struct {
	Out io.Writer

	mu sync.Mutex // harnesses are proven beside one another
}

func (t *Trace) write(c doctor.LiveCase, r *Rig) error {
	issued, err := refserver.ReadIssued(r.Server)
	if err != nil {
		return err
	}
	calls, err := r.Calls()
	if err != nil {
		return err
	}
	entries, err := wsihook.JournalIn(r.state()).Entries()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n## requests to the model\n\n", c.Harness.Name, c.Version)
	for i, body := range r.Model.bodies() {
		fmt.Fprintf(&b, "%d  %s\n", i+1, body)
	}
	b.WriteString("\n## runs of the hooks\n\n")
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	b.WriteString("\n## calls that the server received\n\n")
	for i, call := range calls {
		fmt.Fprintf(&b, "%d  %s  %s  arguments: %s\n", i+1, call.Tool, call.Verdict, strings.Join(call.Arguments, ", "))
	}
	text := b.String() + "\n"
	for i, value := range issued {
		text = strings.ReplaceAll(text, value, fmt.Sprintf("<value %d>", i+1))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err = io.WriteString(t.Out, r.hide(text))
	return err
}
