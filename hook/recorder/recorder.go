// Package recorder records the form of a harness's events, for a limited time and when the user asks for it.
// It records names, types and lengths; of strings only those that name events, tools, servers and versions.
//
// It must not know what a hook does, or what the records are used for.
package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/internal/state"
)

const (
	deadline = 30 * time.Minute // an armed probe ends after that
	maxKept  = 1 << 20          // bytes of records
)

// Probe records the events of one harness in a folder below the state folder.
type Probe struct{ Dir string }

// In returns the probe of a harness.
func In(stateDir, harness string) Probe {
	return Probe{filepath.Join(stateDir, state.Recorder, harness)}
}

func (p Probe) marker() string  { return filepath.Join(p.Dir, "armed") }
func (p Probe) records() string { return filepath.Join(p.Dir, "events.jsonl") }

// Arm starts recording and deletes earlier records.
func (p Probe) Arm() error {
	if err := p.Disarm(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return fmt.Errorf("arm the probe: %w", err)
	}
	return os.WriteFile(p.marker(), nil, 0o600)
}

// Disarm stops recording and deletes the folder.
func (p Probe) Disarm() error {
	if err := os.RemoveAll(p.Dir); err != nil {
		return fmt.Errorf("disarm the probe: %w", err)
	}
	_ = os.Remove(filepath.Dir(p.Dir)) // fails if another harness has a probe
	return nil
}

// Armed reports whether hooks must record now. It costs one system call.
func (p Probe) Armed(now time.Time) bool {
	info, err := os.Lstat(p.marker())
	return err == nil && now.Sub(info.ModTime()) < deadline
}

// Record describes one run of a hook.
type Record struct {
	Verb  string `json:"verb"`
	Event any    `json:"event"` // the skeleton of the event
	Did   string `json:"did,omitempty"`
	Why   string `json:"why,omitempty"`
}

// Add appends the skeleton of an event, unless the probe is full.
func (p Probe) Add(verb string, event []byte, did, why string) error {
	if info, err := os.Stat(p.records()); err == nil && info.Size() > maxKept {
		return nil
	}
	line, err := json.Marshal(Record{verb, Skeleton(event), did, why})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(p.records(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Records returns all records in order.
func (p Probe) Records() (all []Record, err error) {
	f, err := os.Open(p.records())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	d := json.NewDecoder(f)
	for d.More() {
		var r Record
		if err := d.Decode(&r); err != nil {
			return all, fmt.Errorf("read the records: %w", err)
		}
		all = append(all, r)
	}
	return all, nil
}

// recorded lists the members whose text is recorded, because it names the kind of an event. It is not a map,
// which would be built before main in every run of the hook.
var recorded = []string{"hook_event_name", "tool_name", "mcp_server_name", "cursor_version", "type", "failure_type"}

// isWord reports whether a text looks like a name.
func isWord(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._:/-", r))
	})
}

// Skeleton returns a JSON document without its values: of strings, numbers and nulls only the kind, and of a
// string its length. It decodes JSON inside of strings. A text that is not JSON becomes "no JSON".
func Skeleton(doc []byte) any {
	v, ok := decode(doc)
	if !ok {
		return fmt.Sprintf("no JSON (%d)", len(doc))
	}
	return bones("", v, 0)
}

func decode(doc []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// Limits for one event.
const (
	maxDepth   = 12
	maxMembers = 64
)

func bones(name string, v any, depth int) any {
	if depth > maxDepth {
		return "..."
	}
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(kept) == maxMembers {
				break
			}
			as := key
			if !isWord(key) {
				as = fmt.Sprintf("name (%d)", len(key))
			}
			kept[as] = bones(as, v[key], depth+1)
		}
		return kept
	case []any:
		kept := []any{}
		for _, inner := range v[:min(len(v), 8)] {
			kept = append(kept, bones("", inner, depth+1))
		}
		return kept
	case string:
		if slices.Contains(recorded, name) && isWord(v) {
			return v
		}
		if inner, ok := decode([]byte(v)); ok {
			switch inner.(type) {
			case map[string]any, []any:
				return map[string]any{"in a string": bones(name, inner, depth+1)}
			}
		}
		return fmt.Sprintf("string (%d)", len(v))
	case bool:
		return v
	case nil:
		return "null"
	}
	return "number"
}
