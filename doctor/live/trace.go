package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"wsi/doctor"
	"wsi/hook/journal"
	"wsi/internal/refserver"
)

// Trace records the messages between a harness, its model, the hooks and the server. Values are numbered in the order
// in which the server issued them.
type Trace struct {
	Out io.Writer

	mu sync.Mutex // harnesses are proven concurrently
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
	entries, err := journal.In(r.state()).Entries()
	if err != nil {
		return err
	}
	hide := func(s string) string {
		for i, value := range issued {
			s = strings.ReplaceAll(s, value, fmt.Sprintf("<value %d>", i+1))
		}
		return r.hide(s)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n## requests to the model\n\n", c.Harness.Name, c.Version)
	last := ""
	for i, body := range r.Model.bodies() {
		now := hide(string(body)) // before the comparison, so that no part of a value counts as new
		fmt.Fprintf(&b, "%d  %s\n", i+1, news(last, now))
		last = now
	}
	b.WriteString("\n## runs of the hooks\n\n")
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n", hide(string(line)))
	}
	b.WriteString("\n## calls that the server received\n\n")
	for i, call := range calls {
		fmt.Fprintf(&b, "%d  %s  %s  arguments: %s\n", i+1, call.Tool, call.Verdict, hide(strings.Join(call.Arguments, ", ")))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err = io.WriteString(t.Out, b.String()+"\n")
	return err
}

// news returns the objects in a request that are not in the one before it: each turn sends the conversation again.
func news(last, now string) string {
	head := 0
	for head < min(len(last), len(now)) && last[head] == now[head] {
		head++
	}
	head = max(0, strings.LastIndexByte(now[:head], '{'))
	tail := 0
	for tail < min(len(last), len(now))-head && last[len(last)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	tail -= strings.IndexByte(now[len(now)-tail:], '}') + 1
	return asBefore(now[:head]) + now[head:len(now)-tail] + asBefore(now[len(now)-tail:])
}

func asBefore(s string) string {
	const worth = 200 // bytes that are not said again
	if len(s) < worth {
		return s
	}
	return fmt.Sprintf("<%d bytes as before>", len(s))
}
