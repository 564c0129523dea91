package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Style configures the text of a status.
type Style struct {
	Theme tui.Theme
	Show  func(path string) string // writes the home folder as ~
	Now   time.Time
	Width int // of the terminal, 0 = there is none
}

const nameWide = 14

// Text writes a status as text.
func (s Status) Text(w io.Writer, style Style) error {
	var b strings.Builder
	dot := style.Theme.Glyph(" · ", " - ")
	var head []string
	if s.Version != "" {
		head = append(head, "wsi "+s.Version)
	}
	head = append(head, s.Vault.words(style), s.Journal.words(style))
	say := func(lead, text string) {
		for _, line := range tui.Advice(lead, text, cmp.Or(style.Width, 80)-len(lead)) {
			fmt.Fprintln(&b, strings.TrimRight(line, " "))
		}
	}
	worst, verdict, next := s.verdict()
	say("", style.Theme.In(states[worst], verdict)+next+"\n")
	say("", strings.Join(head, dot))
	if s.readOnly != "" {
		say("", style.Theme.In(tui.Broken, "wsi cannot write to "+style.Show(s.readOnly)))
	}
	for _, line := range keptLines(s.Kept) {
		say("", line)
	}
	for _, h := range s.Harnesses {
		b.WriteString("\n")
		say(tui.Pad(h.Name, max(nameWide, len(h.Name)+1)), h.wiring(style))
		indent := strings.Repeat(" ", nameWide)
		if len(h.Files) > 0 && h.Wiring != installer.Absent {
			b.WriteString(indent + style.Show(h.Files[0]) + "\n") // on one line, so that it can be copied
		}
		for _, line := range h.lines(style, dot) {
			text := strings.TrimLeft(line, " ")
			say(indent+line[:len(line)-len(text)], text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var states = map[report.Status]tui.State{report.OK: tui.OK, report.Warn: tui.Attention, report.Fail: tui.Broken}

// verdict sums up what the files say, in the words of the doctor, and says what to type.
func (s Status) verdict() (worst report.Status, text, next string) {
	var r report.Report
	wired := slices.ContainsFunc(s.Harnesses, func(h Harness) bool { return h.By != "" })
	for _, h := range s.Harnesses {
		f := report.Finding{Link: report.Delivered, Status: h.grade()}
		switch {
		case f.Status == report.Fail && !wired && h.Wiring == installer.Absent: // a first setup repairs all of them
			r.Own, f.Status = []report.Finding{f}, report.Skip
		case f.Status == report.Warn && h.unserved:
			f.ID = report.ServerRegistered.Of(h.ID)
		case f.Status == report.OK && h.untried:
			f.Status = report.Info
		}
		r.Groups = append(r.Groups, report.Group{Name: h.Name, Found: h.Found, Wired: h.By != "", Findings: []report.Finding{f}})
	}
	if s.readOnly != "" {
		r.Own = append(r.Own, report.Finding{Status: report.Fail})
	}
	switch worst, text = r.Verdict(); worst {
	case report.OK:
		next = "\nThis is what the files say. To test it, type wsi doctor."
	case report.Warn, report.Fail:
		next = "\nType wsi doctor for details, or wsi doctor --fix to repair it."
	}
	return worst, text, next
}

// grade returns the status that a check of the doctor would have.
func (h Harness) grade() report.Status {
	switch {
	case h.fault:
		return report.Fail
	case h.Wiring == installer.Current && !h.unserved:
		return report.OK
	case h.Wiring == installer.Current, h.Wiring == installer.Unclear && h.By == "", h.Wiring == installer.Absent && h.unserved, h.works:
		return report.Warn
	case h.Wiring == installer.Absent && h.fix == "":
		return report.Skip
	}
	return report.Fail
}

func keptLines(kept []Kept) (lines []string) {
	const few = 5
	for i, k := range kept {
		if i == few {
			return append(lines, fmt.Sprintf("and values of %d others: wsi status --json shows all", len(kept)-few))
		}
		of := ""
		if k.Key != "" {
			of = " of " + k.Key
		}
		lines = append(lines, fmt.Sprintf("%s%s kept by the rule %q", phrase.Count(k.Values, "value"), of, k.Rule))
	}
	return lines
}

func (m Meta) words() string {
	var parts []string
	for _, c := range []counted{
		{m.Kept, phrase.Count(m.Kept, "value") + " kept"},
		{m.Given, phrase.Count(m.Given, "value") + " collected"},
		{m.Shown, phrase.Count(m.Shown, "member") + " of _meta shown"},
	} {
		if c.n > 0 {
			parts = append(parts, c.words)
		}
	}
	return strings.Join(parts, ", ")
}

func (v Vault) words(style Style) string {
	if v.Sessions == 0 {
		return "no session is stored"
	}
	return fmt.Sprintf("%s stored, the newest %s", phrase.Count(v.Sessions, "session"), ago(style.Now, *v.Newest))
}

func (j Journal) words(style Style) string {
	if j.Since == nil {
		return "no hook has run"
	}
	words := phrase.Count(j.Entries, "run")
	if span := style.Now.Sub(*j.Since); span > 0 && span < longest {
		words += " in " + phrase.Age(span)
	}
	if j.Skipped > 0 {
		words += fmt.Sprintf(" (%s of the journal cannot be read)", phrase.Count(j.Skipped, "line"))
	}
	return words
}

// wiring returns a symbol and words for how the harness is wired.
func (h Harness) wiring(style Style) string {
	text := "wired by " + string(h.By)
	if h.Scope == setup.Project {
		text += " in this project"
	}
	switch {
	case h.Wiring == Skipped:
		text += ", but skipped"
	case h.Wiring == installer.Stale, h.Wiring == installer.Unclear:
		text = style.Show(h.Why)
	case h.Wiring == installer.Absent && h.Found:
		text = "not wired"
	case h.Wiring == installer.Absent:
		text = "not found"
	}
	return style.Theme.Mark(states[h.grade()]) + " " + text
}

func (h Harness) lines(style Style, dot string) (lines []string) {
	for _, why := range h.says {
		lines = append(lines, style.Show(why))
	}
	if h.fix != "" {
		label, _ := setup.Advice(h.fix)
		lines = append(lines, label+" "+style.Show(h.fix))
	}
	if h.Last != nil {
		parts := []string{"last run " + ago(style.Now, *h.Last)}
		for _, did := range h.done() {
			for _, c := range h.counted(did) {
				if c.n > 0 {
					parts = append(parts, strings.ReplaceAll(fmt.Sprintf("%d %s", c.n, c.words), " ", "\u00a0")) // not torn apart at the end of a line
				}
			}
		}
		lines = append(lines, strings.Join(parts, dot))
	}
	if m := h.Meta.words(); m != "" {
		lines = append(lines, m)
	}
	const few = 3
	reasons := slices.DeleteFunc(slices.Clone(h.Left), func(r Reason) bool { return slices.Contains(idle, r.Why) })
	for i, r := range reasons {
		if i == few {
			lines = append(lines, fmt.Sprintf("  and %d other reasons", len(reasons)-few))
			break
		}
		lines = append(lines, fmt.Sprintf("  %d left alone: %s", r.Count, r.Why))
	}
	if h.Lost > 0 {
		lines = append(lines, fmt.Sprintf("  %s, the server refused the old value and began a new session", phrase.Count(h.Lost, "time")))
	}
	for _, r := range h.Restarts {
		lines = append(lines, fmt.Sprintf("the relay started %s again %s, last %s: %s", r.Server, phrase.Count(r.Count, "time"), ago(style.Now, r.Last), r.Why))
	}
	for _, l := range h.Took {
		line := fmt.Sprintf("%s took %s (median), %s (99th percentile)", l.Verb, millis(l.P50), millis(l.P99))
		if l.Waited > 0 {
			line += fmt.Sprintf(", and waited up to %s for a transcript", millis(l.Waited))
		}
		lines = append(lines, line)
	}
	return lines
}

type counted struct {
	n     int
	words string
}

func (h Harness) counted(did string) []counted {
	n := h.Counts[did]
	switch did {
	case "left":
		return []counted{{n - h.idle, "left alone"}, {h.idle, "without a value"}}
	case "noted":
		return []counted{{n - h.callers, wordFor(did).Says}, {h.callers, named}}
	}
	return []counted{{n, wordFor(did).Says}}
}

func millis(us int64) string { return fmt.Sprintf("%.1f ms", float64(us)/1000) }

// longest is a time so long that the clock must have been wrong.
const longest = 100 * 365 * 24 * time.Hour

// ago returns how long ago a time was, such as "2 min ago".
func ago(now, at time.Time) string {
	if d := now.Sub(at); d < -time.Minute || d > longest {
		return "at an impossible time"
	}
	return phrase.Age(now.Sub(at)) + " ago"
}
