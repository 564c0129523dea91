// Package recorder records the form of a harness's events, for a limited time and when the user asks for it.
// It records names, types and lengths; of strings only those that name events, tools, servers and versions.
//
// It must not know what a hook does, or what the records are used for.
package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wsi/internal/plainfile"
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
	return plainfile.Append(p.records(), append(line, '\n'))
}

// Records returns all records in order.
func (p Probe) Records() (all []Record, err error) {
	f, err := plainfile.Open(p.records(), os.O_RDONLY, 0)
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
