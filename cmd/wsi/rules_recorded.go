package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"wsi/harnesses"
	"wsi/hook/recorded"
	"wsi/hook/rules"
	"wsi/hook/trial"
	"wsi/internal/phrase"
)

// tryRecorded prints what the rules would have done with recorded calls. args are a rule file, which ends in .toml,
// and paths; each may be missing.
func tryRecorded(e env, args []string, asJSON bool) error {
	var file []string
	if len(args) > 0 && filepath.Ext(args[0]) == ".toml" {
		file, args = args[:1], args[1:]
	}
	set, err := rulesOf(e, file)
	if err != nil {
		return err
	}
	r := &trialReport{Schema: 1, trial: trial.New(set), once: recorded.NewOnce(), why: map[string]int{}, tell: newProgress(e.Stderr)}
	if err := visit(e, args, r, r.tell, "wsi rules try FILE.toml PATH"); err != nil {
		return err
	}
	r.sum(e, set)
	if asJSON {
		return e.printJSON(r)
	}
	return r.text(e.Stdout)
}

// trialReport is what the rules would have done. It has numbers and names of rules and servers, nothing else of what was
// recorded.
type trialReport struct {
	Schema     int         `json:"schema_version"`
	Recordings int         `json:"recordings"`
	Bytes      int64       `json:"bytes"`
	Rules      []triedRule `json:"rules"`
	Skipped    []skipped   `json:"skipped"` // files, and parts of recordings

	trial *trial.Trial
	once  *recorded.Once
	now   string // the harness
	why   map[string]int
	tell  *progress
}

type triedRule struct {
	Name    string   `json:"name"`
	Servers []string `json:"servers"`
	From    string   `json:"from"` // "built-in", or FILE:LINE
	trial.Counts
}

// Begin is called for each recording.
func (r *trialReport) Begin(h harnesses.Harness, size int64) {
	r.Recordings++
	r.Bytes += size
	r.now = h.ID
	r.trial.Begin(h.ID)
}

// Step passes on a step of the recording.
func (r *trialReport) Step(s harnesses.Step) {
	r.trial.Step(s, s.Kind == harnesses.Returned && r.once.Again(r.now, s.ID))
}

// End is called after each recording.
func (r *trialReport) End() {}

// Skip counts what was not read.
func (r *trialReport) Skip(why string) { r.why[why]++ }

// Read shows the progress.
func (r *trialReport) Read(bytes int) { r.tell.add(bytes) }

// sum takes the counts over: of all rules of the user's, and of the built-in rules that had to do with a call.
func (r *trialReport) sum(e env, set rules.Set) {
	r.Rules, r.Skipped = []triedRule{}, sortedSkips(r.why)
	for _, rule := range set.Rules {
		counts := *r.trial.Rules[rule.Name]
		if rule.Off || rule.Origin.File == "" && counts == (trial.Counts{}) {
			continue
		}
		r.Rules = append(r.Rules, triedRule{rule.Name, rule.Servers, origin(e, rule), counts})
	}
}

// text writes the counts as a table, and below it what is wrong with a rule.
func (r *trialReport) text(to io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", phrase.Count(r.Recordings, "recording"), megabytes(r.Bytes))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(r.Rules) > 0 {
		fmt.Fprintln(w, "RULE\tCAPTURED\tCALLS\tAGREED\tCONTRADICTED\tOLDER\tFILLED IN\tCORRECTED\tREFUSED\tUNKNOWN\tLEFT")
	}
	for _, rule := range r.Rules {
		fmt.Fprint(w, rule.Name)
		for _, n := range []int{rule.Captured, rule.Calls, rule.Agreed, rule.Contradicted, rule.Older, rule.Filled, rule.Corrected, rule.Refused, rule.Unknown, rule.Left} {
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // to a strings.Builder, which never fails
	for _, rule := range r.Rules {
		if verdict := verdictOn(rule.Counts); verdict != "" {
			fmt.Fprintf(&b, "%s: %s\n", rule.Name, verdict)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "not read: %s (%d)\n", s.Why, s.Count)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// verdictOn says what the counts of a rule mean, "" if they speak for it.
func verdictOn(c trial.Counts) string {
	switch {
	case c.Contradicted > 0:
		return "wrong: the server accepted " + phrase.Count(c.Contradicted, "call") + " that the rule would have changed or refused"
	case c.Calls == 0 && c.Captured == 0:
		return "no call that it is about was recorded"
	case c.Captured == 0:
		return "no result had a value where it looks for one"
	}
	return ""
}
