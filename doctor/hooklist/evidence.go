package hooklist

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Runs are the runs of hooks that the records of harnesses show.
type Runs struct {
	recorded map[string]string // by harness: which runs are missing
	runs     map[runKey][]harnesses.HookRun
}

// Recorded notes that a harness records the runs of hooks. lack says which runs it does not record.
func (r *Runs) Recorded(harness, lack string) {
	if r.recorded == nil {
		r.recorded = map[string]string{}
	}
	r.recorded[harness] = lack
}

// Add adds a run that a harness recorded.
func (r *Runs) Add(harness string, run harnesses.HookRun) {
	event, _, _ := strings.Cut(run.Event, ":") // some harnesses record the tool as well
	r.add(runKey{harness: harness, event: strings.ToLower(event), command: strings.TrimSpace(run.Command)}, run)
}

// AddOwn adds a run of wsi's own hook with this verb, from its journal.
func (r *Runs) AddOwn(harness, verb string, run harnesses.HookRun) {
	r.add(runKey{harness: harness, command: verb, own: true}, run)
}

func (r *Runs) add(key runKey, run harnesses.HookRun) {
	if r.runs == nil {
		r.runs = map[runKey][]harnesses.HookRun{}
	}
	r.runs[key] = append(r.runs[key], run)
}

// Show adds to each hook of the list what is known of its runs.
func (l List) Show(r Runs) {
	for i := range l.Harnesses {
		h := &l.Harnesses[i]
		lack, recorded := r.recorded[h.ID]
		if h.Lack = text(lack); !recorded {
			h.Lack = h.Name + " does not record which hooks it has run."
		}
	}
	for i := range l.Hooks {
		row := &l.Hooks[i]
		if row.whole() {
			continue
		}
		_, recorded := r.recorded[row.Harness]
		one := Evidence{Recorded: recorded || row.key.own}
		var took []int64
		for _, run := range r.runs[row.key] {
			one.Runs++
			if run.Failed {
				one.Failed++
			}
			if at := run.At.UTC(); !at.IsZero() && (one.Last == nil || at.After(*one.Last)) {
				one.Last = &at
			}
			if run.Took > 0 {
				took = append(took, run.Took.Milliseconds())
			}
		}
		if slices.Sort(took); len(took) > 0 {
			one.Took, one.Longest = took[len(took)/2], took[len(took)-1]
		}
		row.Evidence = &one
	}
}

// slowTime is what a hook may take; a slower one is noticed with every call.
const slowTime = time.Second

// Slow reports whether a hook usually takes so long that it is noticed.
func (e *Evidence) Slow() bool { return e != nil && e.Took >= slowTime.Milliseconds() }

// evidence returns what is known of the runs of a hook.
func (style Style) evidence(e Evidence) string {
	if e.Runs == 0 {
		return style.Theme.Faint.Render("no run is recorded")
	}
	parts := []string{phrase.Count(e.Runs, "run")}
	if e.Last != nil {
		parts = append(parts, "last "+phrase.Age(style.Now.Sub(*e.Last))+" ago")
	}
	if e.Took > 0 || e.Longest > 0 {
		parts = append(parts, fmt.Sprintf("usually %s, at most %s", seconds(e.Took), seconds(e.Longest)))
	}
	if e.Failed > 0 {
		parts = append(parts, style.Theme.In(tui.Broken, fmt.Sprintf("%d failed", e.Failed)))
	}
	return strings.Join(parts, ", ")
}

func seconds(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d\u00a0ms", ms)
	}
	return fmt.Sprintf("%.1f\u00a0s", float64(ms)/1000)
}

// slow names the hooks that delay calls.
func (l List) slow(style Style) (lines []string) {
	for _, r := range l.Hooks {
		if !r.Evidence.Slow() {
			continue
		}
		if lines == nil {
			lines = append(lines, "", style.Theme.Strong.Render("Slow"))
		}
		lines = append(lines, style.hang("  "+style.Theme.Mark(tui.Attention)+" ",
			fmt.Sprintf("%s: the hook under %s at %s usually takes %s, and %s waits for it", l.name(r.Harness), r.Event, style.Place(r), seconds(r.Evidence.Took), l.name(r.Harness)))...)
	}
	return lines
}

// RunLine returns a run as one line.
func (style Style) RunLine(l List, harness string, run harnesses.HookRun) string {
	state, took := tui.OK, ""
	if run.Failed {
		state = tui.Broken
	}
	if run.Took > 0 {
		took = "  " + seconds(run.Took.Milliseconds())
	}
	line := fmt.Sprintf("%s  %s %s  %s  %s%s", run.At.Local().Format("2006-01-02 15:04:05"), style.Theme.Mark(state), l.name(harness), text(run.Event), style.Show(text(run.Command)), took)
	return tui.Cut(line, style.Width, style.Theme)
}
