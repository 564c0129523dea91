// Package recorder keeps what the events of a harness look like, for a while and at its user's wish: the
// facts that only somebody who has the harness can find out. It keeps names, types and lengths, and of
// strings only those that name events, tools, servers and versions.
//
// It must not know what a hook does, nor what the records are for.
package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wsi/internal/state"
)

const (
	deadline = 30 * time.Minute // then a probe that nobody disarmed is over
	maxKept  = 1 << 20          // bytes of records
)

// Probe is the one of a harness: a folder below the state folder.
type Probe struct{ Dir string }

// In returns the probe of a harness.
func In(stateDir, harness string) Probe {
	return Probe{filepath.Join(stateDir, state.Recorder, harness)}
}

func (p Probe) marker() string  { return filepath.Join(p.Dir, "armed") }
func (p Probe) records() string { return filepath.Join(p.Dir, "events.jsonl") }

// Arm begins to record; what was recorded before is dropped.
func (p Probe) Arm() error {
	if err := p.Disarm(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return fmt.Errorf("arm the probe: %w", err)
	}
	return os.WriteFile(p.marker(), nil, 0o600)
}

// Disarm ends it and removes the folder.
func (p Probe) Disarm() error {
	if err := os.RemoveAll(p.Dir); err != nil {
		return fmt.Errorf("disarm the probe: %w", err)
	}
	_ = os.Remove(filepath.Dir(p.Dir)) // unless another harness's is there
	return nil
}

// Armed tells whether hooks are to record now. It costs one look at the disk.
func (p Probe) Armed(now time.Time) bool {
	info, err := os.Lstat(p.marker())
	return err == nil && now.Sub(info.ModTime()) < deadline
}

// Record is what one run of a hook saw and did.
type Record struct {
	Verb  string `json:"verb"`
	Event any    `json:"event"` // its skeleton
	Did   string `json:"did,omitempty"`
	Why   string `json:"why,omitempty"`
}

// Add keeps the skeleton of an event. A probe that is full keeps no more.
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

// Records returns what was kept, in its order.
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
