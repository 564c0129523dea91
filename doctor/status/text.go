package status

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

const nameWide = 14

// Text writes a status as text, at 80 columns if the style has no width: the verdict, the harnesses that concern the user, and the rest.
func (s Status) Text(w io.Writer, style prose.Style) error {
	var b strings.Builder
	dot := style.Theme.Glyph(" · ", " - ")
	say := func(lead, text string) {
		for _, line := range tui.Hanging(lead, text, cmp.Or(style.Width, 80)-ansi.StringWidth(lead)) {
			fmt.Fprintln(&b, strings.TrimRight(line, " "))
		}
	}
	b.WriteString(tui.Record(style.Wrong(s.report)))
	var idle []string
	for _, h := range s.Harnesses {
		if len(h.Each)+len(h.Wrong) == 0 && h.Last == nil && (h.idle || !h.Found) {
			if h.Found {
				idle = append(idle, h.Name)
			}
			continue
		}
		b.WriteString("\n")
		lead, mark, indent := tui.Cell(h.Name, max(nameWide, len(h.Name)+1), style.Theme), h.mark(style.Theme), strings.Repeat(" ", nameWide)
		if h.Each == nil {
			unread := func(f report.Finding) bool { return f.Status == report.Fail && f.ID == report.HookFile.Of(h.ID) }
			say(lead, mark+report.Unregistered[slices.ContainsFunc(h.Wrong, unread)])
		}
		for _, w := range h.Each {
			say(lead, mark+words(w))
			for _, file := range w.Files {
				b.WriteString(indent + report.OneLine(style.Show(file)) + "\n") // on one line, so that it can be copied
			}
			lead, mark = indent, ""
		}
		for _, line := range h.lines(style, dot) {
			text := strings.TrimLeft(line, " ")
			say(indent+line[:len(line)-len(text)], text)
		}
	}
	b.WriteString("\n")
	if idle != nil {
		say("", prose.Idle(idle))
	}
	for _, k := range s.Kept {
		say("", fmt.Sprintf("%s kept by the rule %q", phrase.Count(k.Values, "value"), k.Rule))
	}
	say("", s.Vault.words(style)+dot+s.Journal.words(style))
	say("", s.next())
	_, err := io.WriteString(w, b.String())
	return err
}

// next says what to type after the verdict.
func (s Status) next() string {
	switch worst, _ := s.report.Verdict(); worst {
	case report.OK:
		return "This is what the files say. To test it, type wsi doctor."
	case report.Warn, report.Fail:
		if s.report.NeverSetUp() || len(s.report.Fixable()) > 0 {
			return "Type wsi doctor for details, or wsi doctor --fix to repair it."
		}
		return "Type wsi doctor for details."
	}
	return ""
}

func (m Meta) words() string {
	var parts []string
	for _, c := range []struct {
		n     int
		words string
	}{
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

func (v Vault) words(style prose.Style) string {
	if v.Sessions == 0 {
		return "no session is stored"
	}
	return fmt.Sprintf("%s stored, the newest %s", phrase.Count(v.Sessions, "session"), ago(style.Now, *v.Newest))
}

func (j Journal) words(style prose.Style) string {
	if j.Since == nil {
		return "no hook has run"
	}
	words := phrase.Count(j.Entries, "run")
	if span := style.Now.Sub(*j.Since); span > 0 && span < longest {
		words += " in the last " + phrase.Age(span)
	}
	if j.Skipped > 0 {
		words += fmt.Sprintf(" (%s of the journal cannot be read)", phrase.Count(j.Skipped, "line"))
	}
	return words
}

// words says for which servers wsi is registered, and how.
func words(w report.Wiring) string {
	text := string(w.By) + " for " + phrase.List(w.Servers, "and")
	if w.Scope == setup.Project {
		text += " in this project"
	}
	return text
}

// mark returns the symbol of a harness.
func (h Harness) mark(t tui.Theme) string {
	state := tui.Absent
	if h.Each != nil {
		state = tui.OK
	}
	for _, f := range h.Wrong {
		state = max(state, prose.States[f.Status])
	}
	return t.Mark(state) + " "
}

func (h Harness) lines(style prose.Style, dot string) (lines []string) {
	if h.Last != nil {
		parts := []string{"last run " + ago(style.Now, *h.Last)}
		known := lists.Map(Words, func(w Word) string { return w.Says })
		for _, word := range lists.AddUnique(known, slices.Sorted(maps.Keys(h.words))...) {
			if n := h.words[word]; n > 0 {
				parts = append(parts, strings.ReplaceAll(fmt.Sprintf("%d %s", n, word), " ", "\u00a0")) // not torn apart at the end of a line
			}
		}
		lines = append(lines, strings.Join(parts, dot))
	}
	if m := h.Meta.words(); m != "" {
		lines = append(lines, m)
	}
	const few = 3
	reasons := lists.Filter(h.Left, func(r Reason) bool { return !slices.Contains(carry.Idle, r.Why) })
	for _, r := range reasons[:min(few, len(reasons))] {
		lines = append(lines, fmt.Sprintf("  %d left alone: %s", r.Count, r.Why))
	}
	if more := len(reasons) - few; more > 0 {
		lines = append(lines, "  and "+phrase.Count(more, "other reason"))
	}
	if h.Lost > 0 {
		lines = append(lines, "  the server refused the old value and began a new session "+phrase.Count(h.Lost, "time"))
	}
	for _, r := range h.Restarts {
		lines = append(lines, fmt.Sprintf("the relay started %s again %s, last %s: %s", r.Server, phrase.Count(r.Count, "time"), ago(style.Now, r.Last), r.Why))
	}
	for _, l := range h.Took {
		line := fmt.Sprintf("%s took %s (median), %s (99th percentile)", l.Verb, millis(l.P50), millis(l.P99))
		if l.Waited > 0 {
			line += ", and waited up to " + millis(l.Waited)
		}
		lines = append(lines, line)
	}
	return lines
}

func millis(us int64) string { return fmt.Sprintf("%.1f ms", float64(us)/1000) }

// longest is a time so long that the clock must have been wrong.
const longest = 100 * 365 * 24 * time.Hour

// ago returns how long ago a time was, such as "2 min ago".
func ago(now, at time.Time) string {
	if d := now.Sub(at); d < -time.Minute || d > longest {
		return "at a time that cannot be right"
	}
	return phrase.Age(now.Sub(at)) + " ago"
}
