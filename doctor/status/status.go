// Package status reports what wsi has done so far. It only reads wsi's files, and runs no checks and no programs. It
// must not know harnesses by name, or how a screen is drawn.
package status

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/vault"
	"wsi/installer"
	"wsi/installer/ledger"
	"wsi/installer/notes"
	"wsi/internal/atomicfile"
	"wsi/internal/lists"
	"wsi/internal/state"
)

// Status is the status of wsi and of all harnesses.
type Status struct {
	Schema    int       `json:"schema_version"`
	Version   string    `json:"version"`
	Harnesses []Harness `json:"harnesses"`
	Vault     Vault     `json:"vault"`
	Kept      []Kept    `json:"kept"`
	Journal   Journal   `json:"journal"`

	readOnly string // wsi's folder, if this user cannot write to it
}

// Harness is the status of one harness.
type Harness struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Found  bool            `json:"found"`
	Wiring installer.State `json:"wiring"`
	By     setup.Mode      `json:"by,omitempty"` // how it is wired
	Scope  setup.Scope     `json:"scope"`        // of the wiring: the project's, if the user's own files have none
	Why    string          `json:"why,omitempty"`
	Files  []string        `json:"files"`
	Last   *time.Time      `json:"last_run,omitempty"`
	Counts map[string]int  `json:"counts"` // by what was done: "injected", "captured", ...
	Meta   Meta            `json:"meta"`
	Left   []Reason        `json:"left_alone"`
	Lost   int             `json:"lost_sessions"` // that the server restarted instead of continuing them
	Took   []Latency       `json:"latency"`       // per verb

	Restarts []Restart `json:"restarts"` // by the relay

	says     []string // sentences that explain its state
	fault    bool     // it carries nothing, although the files that can be read may be as setup wrote them
	unserved bool     // it does not have, or may not have, the server that wsi is registered for
	works    bool     // another version of wsi registered it, or its file was edited, and that works
	fix      string
	untried  bool // it was not measured, so the doctor cannot rehearse its hooks
	callers  int  // runs that noted a caller for the relay
	idle     int  // runs that left a call alone since there was nothing to do
}

// Meta counts what was done with values that rules collect, and with members of _meta that they show.
type Meta struct {
	Kept  int `json:"kept"`
	Given int `json:"given"`
	Shown int `json:"shown"`
}

// Kept describes values that a tool takes all at once.
type Kept struct {
	Server string `json:"server"`
	Rule   string `json:"rule"`
	Key    string `json:"key"` // what the server calls what they belong to
	Values int    `json:"values"`
}

// Skipped means that wsi is registered as by setup, but the harness does not run it.
const Skipped installer.State = "skipped"

// idle are the reasons for leaving a call or a result alone that are normal: it has no value.
var idle = []string{"the result shows no value", "the result is an error without a value", "the tool hands out no value", "the tool takes no value", "no rule names this tool"}

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

// Latency is how long runs of a hook took in their process, without waiting for a transcript.
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
const schema = 2

// Read reads wsi's own files and those of the harnesses.
func Read(o installer.Options, hs []setup.Harness, version string) (s Status, err error) {
	s = Status{Schema: schema, Version: version, Harnesses: []Harness{}, Kept: []Kept{}}
	if _, err := os.Stat(o.StateDir); err == nil && atomicfile.Check(filepath.Join(o.StateDir, "new")) != nil {
		s.readOnly = o.StateDir
	}
	file := journal.In(o.StateDir)
	s.Journal.Bytes = size(file.Path) + size(file.Older())
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
	folder := filepath.Join(o.StateDir, state.Vault)
	s.Vault = vaultIn(folder)
	collections, err := vault.Vault{Dir: folder}.Collections()
	if err != nil {
		return s, err
	}
	for _, c := range collections {
		s.Kept = append(s.Kept, Kept{report.OneLine(c.Server), report.OneLine(c.Rule), report.OneLine(c.Key), c.Values})
	}
	for _, h := range hs {
		s.Harnesses = append(s.Harnesses, of(o, h, runs[h.ID]))
	}
	return s, nil
}

func of(o installer.Options, h setup.Harness, entries []journal.Entry) Harness {
	o.Scope = setup.User
	serves := !o.Idle(h)
	o.Ruled = nil                          // what is wired is compared with what was chosen
	standing, _ := installer.Inspect(o, h) // Why has the error
	if standing.State == installer.Absent {
		project := o
		project.Scope = setup.Project
		if s, _ := installer.Inspect(project, h); s.State == installer.Current || s.State == installer.Stale {
			o, standing = project, s
		}
	}
	one := Harness{
		Scope: o.Scope,
		ID:    h.ID, Name: h.Name, Found: standing.Presence.Found, Wiring: standing.State, By: standing.Mode, Why: standing.Why,
		Files: append([]string{}, standing.Files...), Counts: map[string]int{}, Left: []Reason{}, Took: []Latency{}, Restarts: []Restart{},
	}
	if one.says = skipped(o, h, standing); len(one.says) > 0 {
		one.Wiring, one.Why = Skipped, strings.Join(one.says, " ")
	}
	l, _ := ledger.Read(o.FS.ReadFile, o.StateDir) // Inspect returns the error
	one.fault = one.By == "" && (l.Concerns(h.ID, standing.Refused) || l.Concerns(h.ID, standing.FindErr))
	for _, path := range standing.Programs {
		isDir, gone := o.Env.Stat(path)
		switch _, err := o.Env.LookPath(path); {
		case standing.Older: // it did nothing that is missed
		case gone != nil || isDir:
			one.fault, one.says = true, append(one.says, "no binary at "+path)
		case err != nil:
			one.fault, one.says = true, append(one.says, path+" is not executable")
		}
	}
	one.count(entries)
	has := func(s setup.Server) bool { return slices.Contains(standing.Servers, s.Name) }
	switch err := standing.FindErr; {
	case err == nil && one.Last == nil && len(standing.Servers) > 0 && !slices.ContainsFunc(standing.Presence.Servers, has):
		one.unserved, one.says = true, append(one.says, h.Name+" has no MCP server named "+strings.Join(standing.Servers, " or "))
	case err == nil || standing.Why != "":
	case one.fault && one.By == "", one.By != "" && setup.Fatal(err):
		one.fault, one.says = true, append(one.says, err.Error())
	case one.By != "" || one.Found:
		one.unserved, one.says = true, append(one.says, "the servers cannot be read: "+err.Error())
	}
	one.fix, one.untried = one.setup(serves), one.By == setup.ByHooks && len(h.Measured) == 0
	if bad, ok := errors.AsType[setup.ConfigError](standing.FindErr); ok && (one.fault || one.unserved) {
		one.fix = "correct " + bad.Path
	}
	one.works = standing.Older || standing.Works
	if standing.Refused.Works {
		one.fix = standing.Refused.Hint
	}
	for _, verb := range []string{harnesses.Inject, harnesses.Capture} {
		if l, ok := latency(entries, verb); ok {
			one.Took = append(one.Took, l)
		}
	}
	return one
}

// count counts what the runs in the journal did.
func (h *Harness) count(entries []journal.Entry) {
	reasons := map[string]int{}
	for i := range entries {
		e := &entries[i]
		if e.Verb == journal.Restart {
			h.restarted(e)
			continue
		}
		h.Counts[e.Did]++
		h.Meta.Kept, h.Meta.Given, h.Meta.Shown = h.Meta.Kept+e.Kept, h.Meta.Given+e.Given, h.Meta.Shown+e.Told
		switch {
		case e.Did == string(carry.Noted) && e.Verb == harnesses.Inject:
			h.callers++
		case e.Did == string(carry.Left) && slices.Contains(idle, e.Why):
			h.idle++
		}
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

// setup returns the command that wires the harness as this wsi does, "" if it is not needed.
func (h *Harness) setup(serves bool) string {
	scope := ""
	if h.Scope == setup.Project {
		scope = " --scope project"
	}
	switch {
	case h.Wiring == installer.Stale, h.fault && h.Wiring != installer.Unclear:
		return report.SetupCommand + " --harness " + h.ID + scope
	case h.Wiring == installer.Absent && h.Found && serves:
		return report.SetupCommand
	}
	return ""
}

func (h *Harness) restarted(e *journal.Entry) {
	i := slices.IndexFunc(h.Restarts, func(r Restart) bool { return r.Server == e.Server && r.Why == e.Why })
	if i < 0 {
		i, h.Restarts = len(h.Restarts), append(h.Restarts, Restart{Server: e.Server, Why: e.Why})
	}
	h.Restarts[i].Count++
	h.Restarts[i].Last = e.Time
}

// skipped returns sentences that say why the harness does not run its registered hooks, according to its files.
func skipped(o installer.Options, h setup.Harness, s installer.Status) (texts []string) {
	if s.State != installer.Current || s.Mode == setup.ByRelay {
		return nil
	}
	program := setup.Program{Path: slices.Concat(s.Programs, []string{""})[0], Servers: s.Servers}
	for _, n := range notes.Gates(notes.Setup{Env: o.Env, Harness: h, Scope: o.Scope, Program: program}) {
		texts = append(texts, n.Text)
	}
	return texts
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

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// done lists the journal's words in the order of display; other words follow by name.
func (h Harness) done() (all []string) {
	all = lists.Map(Words, func(w Word) string { return w.Did })
	return lists.AddUnique(all, slices.Sorted(maps.Keys(h.Counts))...)
}
