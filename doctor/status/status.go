// Package status sums up what the doctor finds in files, and what the journal and the vault count. It only reads wsi's
// files: whether wsi is well is the doctor's verdict. It must not know harnesses by name, or how a screen is drawn.
package status

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// Status is the status of wsi and of all harnesses.
type Status struct {
	Schema    int              `json:"schema_version"`
	Version   string           `json:"version"`
	Healthy   bool             `json:"healthy"`
	Verdict   string           `json:"verdict"` // the doctor's
	Wrong     []report.Finding `json:"wrong"`   // with wsi itself
	Harnesses []Harness        `json:"harnesses"`
	Vault     Vault            `json:"vault"`
	Kept      []Kept           `json:"kept"`
	Journal   Journal          `json:"journal"`

	report report.Report
}

// Harness is the status of one harness.
type Harness struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Found bool   `json:"found"`
	report.Registration
	Wrong  []report.Finding `json:"wrong"` // what the doctor warns of, or calls a fault
	Last   *time.Time       `json:"last_run,omitempty"`
	Counts map[string]int   `json:"counts"` // by what was done: "injected", "captured", ...
	Meta   Meta             `json:"meta"`
	Left   []Reason         `json:"left_alone"`
	Lost   int              `json:"lost_sessions"` // that the server restarted instead of continuing them
	Took   []Latency        `json:"latency"`       // per verb

	Restarts []Restart `json:"restarts"` // by the relay

	idle  bool           // it has no server with a rule
	words map[string]int // how many runs of each word
}

// Meta counts what was done with values that rules collect, and with members of _meta that they show.
type Meta struct {
	Kept  int `json:"kept"`
	Given int `json:"given"`
	Shown int `json:"shown"`
}

// Kept counts the values that a rule keeps for a tool that takes all of a collection at once. A collection's name can be a
// value, so it is not here.
type Kept struct {
	Server      string `json:"server"`
	Rule        string `json:"rule"`
	Collections int    `json:"collections"`
	Values      int    `json:"values"`
}

// Reason is why calls were left alone, and how often.
type Reason struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Restart is how often a server was started again after it had ended in one way.
type Restart struct {
	Server string    `json:"server"`
	Why    string    `json:"why"` // its exit status, or why the relay had stopped it
	Count  int       `json:"count"`
	Last   time.Time `json:"last"`
}

// Latency is how long runs of a hook took in their process, without waiting.
type Latency struct {
	Verb   string `json:"verb"`
	Runs   int    `json:"runs"`
	P50    int64  `json:"p50_us"`
	P99    int64  `json:"p99_us"`
	Waited int64  `json:"p99_wait_us"` // how long they waited in addition
}

// Vault sums up the stored sessions.
type Vault struct {
	Sessions int        `json:"sessions"`
	Newest   *time.Time `json:"newest,omitempty"`
	Bytes    int64      `json:"bytes"`
}

// Journal sums up the journal.
type Journal struct {
	Entries int        `json:"entries"`
	Skipped int        `json:"unreadable"` // lines that are not entries
	Since   *time.Time `json:"since,omitempty"`
	Bytes   int64      `json:"bytes"`
}

// schema must be incremented if a member is removed or changes its meaning.
const schema = 3

// Read reads the journal and the vault in wsi's folder. r is what the doctor finds in files.
func Read(stateDir string, r report.Report) (s Status, err error) {
	s = Status{Schema: schema, Version: r.Version, Healthy: r.Healthy(), Wrong: wrong(r.Own), Harnesses: []Harness{}, report: r}
	_, s.Verdict = r.Verdict()
	file := journal.In(stateDir)
	for _, path := range []string{file.Path, file.Older()} {
		if info, err := os.Stat(path); err == nil {
			s.Journal.Bytes += info.Size()
		}
	}
	runs := map[string][]journal.Entry{}
	s.Journal.Skipped, err = file.Each(func(e journal.Entry) {
		if s.Journal.Entries++; s.Journal.Entries == 1 {
			s.Journal.Since = &e.Time
		}
		runs[e.Harness] = append(runs[e.Harness], e)
	})
	if err != nil {
		return s, err
	}
	folder := filepath.Join(stateDir, state.Vault)
	s.Vault = vaultIn(folder)
	if s.Kept, err = kept(vault.Vault{Dir: folder}); err != nil {
		return s, err
	}
	for _, g := range r.Groups {
		s.Harnesses = append(s.Harnesses, of(g, runs[g.ID]))
	}
	return s, nil
}

func wrong(all []report.Finding) []report.Finding {
	return append([]report.Finding{}, lists.Filter(all, func(f report.Finding) bool { return f.Status == report.Warn || f.Status == report.Fail })...)
}

func of(g report.Group, entries []journal.Entry) Harness {
	h := Harness{
		ID: g.ID, Name: g.Name, Found: g.Found, Registration: g.Registration, Wrong: wrong(g.Findings),
		Counts: map[string]int{}, words: map[string]int{}, Left: []Reason{}, Took: []Latency{}, Restarts: []Restart{},
		idle: g.Idle(),
	}
	h.count(entries)
	for _, verb := range []string{harnesses.Inject, harnesses.Capture} {
		if l, ok := latency(entries, verb); ok {
			h.Took = append(h.Took, l)
		}
	}
	return h
}

// count counts what the runs in the journal did.
func (h *Harness) count(entries []journal.Entry) {
	reasons := map[string]int{}
	for i := range entries {
		e := &entries[i]
		if e.Verb == journal.Restart {
			h.restarted(e)
		}
		if e.OfServer() {
			continue
		}
		h.Counts[e.Did]++
		h.Meta.Kept, h.Meta.Given, h.Meta.Shown = h.Meta.Kept+e.Kept, h.Meta.Given+e.Given, h.Meta.Shown+e.Told
		h.words[wordFor(e).Says]++
		if h.Last == nil || e.Time.After(*h.Last) {
			h.Last = &e.Time
		}
		if e.Why == carry.SessionLost {
			h.Lost++
		}
		if e.Did == string(carry.Left) {
			reasons[e.Why]++
		}
	}
	for why, n := range reasons {
		h.Left = append(h.Left, Reason{why, n})
	}
	slices.SortFunc(h.Left, func(a, b Reason) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Why, b.Why)) })
}

func (h *Harness) restarted(e *journal.Entry) {
	i := slices.IndexFunc(h.Restarts, func(r Restart) bool { return r.Server == e.Server && r.Why == e.Why })
	if i < 0 {
		i, h.Restarts = len(h.Restarts), append(h.Restarts, Restart{Server: e.Server, Why: e.Why})
	}
	h.Restarts[i].Count++
	h.Restarts[i].Last = e.Time
}

func latency(entries []journal.Entry, verb string) (l Latency, ok bool) {
	var took, waited []int64
	for i := range entries {
		if e := &entries[i]; e.Verb == verb {
			took = append(took, max(e.Micros-e.Waited, 0))
			waited = append(waited, max(e.Waited, 0))
		}
	}
	if len(took) == 0 {
		return l, false
	}
	return Latency{verb, len(took), percentile(took, 50), percentile(took, 99), percentile(waited, 99)}, true
}

// percentile returns a percentile of the values. It sorts them.
func percentile(values []int64, p int) int64 {
	slices.Sort(values)
	return values[(len(values)*p+99)/100-1]
}

// vaultIn counts the sessions in a folder. It skips what it cannot read; the doctor reports that.
func vaultIn(dir string) (v Vault) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".json" {
			return nil //nolint:nilerr // see above
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it has just gone
		}
		v.Sessions++
		v.Bytes += info.Size()
		if at := info.ModTime(); v.Newest == nil || at.After(*v.Newest) {
			v.Newest = &at
		}
		return nil
	})
	return v
}

// kept counts the values in all collections of a vault, in the order of servers and rules.
func kept(v vault.Vault) ([]Kept, error) {
	all := []Kept{}
	dir := filepath.Join(v.Dir, vault.Collections)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".jsonl" {
			continue
		}
		raw, err := plainfile.Read(filepath.Join(dir, entry.Name()))
		heading, _, _ := bytes.Cut(raw, []byte("\n"))
		members, bad := jsonraw.Object(heading)
		if err != nil || bad != nil {
			continue // it is being written, or not ours
		}
		c := vault.Collection{Server: members.String("server"), Rule: members.String("rule"), Key: members.String("key"), Owner: members.String("owner")}
		values, err := v.Collected(c)
		if err != nil || len(values) == 0 {
			continue
		}
		server, rule := report.OneLine(c.Server), report.OneLine(c.Rule)
		i := slices.IndexFunc(all, func(k Kept) bool { return k.Server == server && k.Rule == rule })
		if i < 0 {
			i, all = len(all), append(all, Kept{Server: server, Rule: rule})
		}
		all[i].Collections++
		all[i].Values += len(values)
	}
	slices.SortFunc(all, func(a, b Kept) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Rule, b.Rule))
	})
	return all, err
}
