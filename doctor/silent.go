package doctor

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wsi/internal/phrase"
	"wsi/internal/plainfile"
)

// silent returns the outcome for a harness that called the server and ran no hook: it was started with hooks switched
// off, or before they were registered. No file of wsi shows that, but the harness's own log does. ok is false if all is
// well, or not known.
func (p *target) silent(n activity) (out outcome, ok bool) {
	if p.relayed() || p.turnedOff() {
		return outcome{}, false
	}
	ago := func(at time.Time) string { return phrase.Age(p.Env.Now().Sub(at)) + " ago" }
	since, last := p.registeredAt(), ""
	if runs := len(n.latest); runs > 0 {
		const pending = time.Minute // the hook after a call may be missing because the call has not ended
		ran := n.latest[runs-1].Time
		since, last = latest(since, ran.Add(pending)), "; the last one ran "+ago(ran)
	}
	called := p.lastCall(since)
	if called.IsZero() {
		return outcome{}, false
	}
	return attention("restart "+p.harness.Name+", without flags and settings that switch hooks off",
		"%s called %s %s and ran no hook of wsi%s", p.harness.Name, p.server, ago(called), last), true
}

func (p *target) registeredAt() (at time.Time) {
	for _, h := range p.hooks {
		if info, err := os.Stat(h.File.Path); err == nil {
			at = latest(at, info.ModTime())
		}
	}
	return at
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Limits of what is read of a harness's log.
const (
	logFiles = 8
	logBytes = 1 << 20 // from the end of each
)

// lastCall returns when the harness last called the server according to its own log, the zero time if not after this time.
func (p *target) lastCall(after time.Time) (last time.Time) {
	if p.harness.CallLog == nil {
		return last
	}
	log := p.harness.CallLog(p.Env, p.server)
	for _, path := range newest(log.Files, after) {
		for line := range bytes.Lines(end(path)) {
			call := !slices.ContainsFunc(log.Marks, func(mark string) bool { return !bytes.Contains(line, []byte(mark)) })
			if at := timeIn(line); call && at.After(after) {
				last = latest(last, at)
			}
		}
	}
	return last
}

// newest returns the newest files that patterns match, of those that were changed after a time.
func newest(patterns []string, after time.Time) (paths []string) {
	changed := map[string]time.Time{}
	for _, pattern := range patterns {
		all, _ := filepath.Glob(pattern) // a path with a bracket is not known
		for _, path := range all {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(after) {
				changed[path] = info.ModTime()
				paths = append(paths, path)
			}
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(changed[b].Compare(changed[a]), cmp.Compare(a, b)) })
	return paths[:min(len(paths), logFiles)]
}

// end returns the end of a file, nil if it cannot be read.
func end(path string) []byte {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-logBytes), logBytes))
	return text
}

// timeIn returns the time in a line of a log, after its first "timestamp".
func timeIn(line []byte) (at time.Time) {
	const form = "2006-01-02T15:04:05.000Z"
	_, rest, _ := bytes.Cut(line, []byte("timestamp"))
	rest = bytes.TrimLeft(rest, `":= `)
	if len(rest) >= len(form) {
		at, _ = time.Parse(form, string(rest[:len(form)]))
	}
	return at
}
