package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"wsi/harnesses/setup"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// Style configures the text of a report.
type Style struct {
	ASCII   bool
	Color   bool
	Verbose bool   // show healthy rows too
	Live    bool   // a live proof was requested: always show its row
	Home    string // shown as ~
	Sep     string // between folders
}

// look is how a status is shown. It has a symbol, since color alone must not carry the meaning.
type look struct{ symbol, ascii, color string }

var looks = map[Status]look{OK: {"✓", "[ok]", "32"}, Info: {"·", "[..]", "2"}, Skip: {"–", "[--]", "2"}, Warn: {"!", "[!!]", "33"}, Fail: {"✗", "[XX]", "31"}}

const (
	width    = 80
	nameWide = 25
)

// Text writes a report as text of 80 columns: the verdict, what is wrong with its fixes, then the harnesses.
func (r Report) Text(w io.Writer, s Style) error {
	var b strings.Builder
	t := &text{&b, s}
	_, verdict := r.Verdict()
	t.printf("%s\n", strings.Join(wrap(verdict, width), "\n"))
	for _, s := range []Status{Fail, Warn} {
		for _, f := range r.All() {
			if f.Status == s {
				t.row(f)
			}
		}
	}
	heading := fmt.Sprintf("wsi doctor%s · %s · %s · %s", behind(r.Version), r.Platform,
		phrase.Count(len(r.examined()), "harness"), phrase.Count(len(r.All()), "check"))
	t.printf("\n%s\n", strings.Join(wrap(heading, width), "\n"))
	t.others(r.Own)
	for _, g := range r.examined() {
		t.printf("\n")
		t.group(g)
	}
	t.printf("\n%s\n", strings.Join(Tally(r.Counts()), " · "))
	_, err := io.WriteString(w, b.String())
	return err
}

type text struct {
	*strings.Builder
	Style
}

func (t *text) printf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if t.ASCII {
		line = strings.ReplaceAll(line, "·", "-")
	}
	t.WriteString(line)
}

// behind returns a text with a blank before it, or "".
func behind(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func (t *text) group(g Group) {
	name := g.Name + behind(g.Version)
	if g.absent() {
		t.printf("%snot found\n", pad(name, nameWide))
		return
	}
	between := " → " // not a line, which looks like the symbol of Skip
	if t.ASCII {
		between = " > "
	}
	heads, marks := pad(name, nameWide), strings.Repeat(" ", nameWide)
	for i, j := range g.Chain {
		if i > 0 {
			heads += between
			marks += strings.Repeat(" ", utf8.RuneCountInString(between))
		}
		word := string(j.Link)
		heads += word
		marks += t.centered(g.Seen(j), len(word))
	}
	t.printf("%s\n%s\n", heads, strings.TrimRight(marks, " "))
	t.others(g.Findings)
	if t.Verbose {
		for _, n := range g.Limits {
			t.wrapped("  note: ", "  note: ", n)
		}
	}
}

// others writes the findings that need no action: those that say most, or all.
func (t *text) others(all []Finding) {
	for _, f := range all {
		asked := t.Live && strings.HasSuffix(f.ID, LiveDelivered.Of(""))
		if f.Status != Warn && f.Status != Fail && (t.Verbose || asked || f.Telling()) {
			t.row(f)
		}
	}
}

func (t *text) centered(s Status, room int) string {
	symbol := t.symbol(s)
	n := utf8.RuneCountInString(symbol)
	left := (room - n) / 2
	return strings.Repeat(" ", left) + t.colored(s, symbol) + strings.Repeat(" ", room-n-left)
}

func (t *text) symbol(s Status) string {
	if t.ASCII {
		return looks[s].ascii
	}
	return looks[s].symbol
}

func (t *text) colored(s Status, text string) string {
	if !t.Color {
		return text
	}
	return printable.Own(looks[s].color) + text + printable.Own("0")
}

// row writes a finding.
func (t *text) row(f Finding) {
	rest := " " + f.ID + "  "
	t.wrapped("  "+t.symbol(f.Status)+rest, "  "+t.colored(f.Status, t.symbol(f.Status))+rest, t.tilde(f.Text)+f.Duration())
	switch label, command := setup.Advice(f.Fix); {
	case f.Fix == "":
	case command: // on one line, so that it can be copied
		t.printf("    %s %s\n", label, t.tilde(f.Fix))
	default:
		t.wrapped("    "+label+" ", "    "+label+" ", t.tilde(f.Fix))
	}
}

// wrapped writes a text after a head, which may be shown in color.
func (t *text) wrapped(head, shown, body string) {
	indent := utf8.RuneCountInString(head)
	for _, l := range wrap(body, width-indent) {
		t.printf("%s%s\n", shown, l)
		shown = strings.Repeat(" ", indent)
	}
}

func (t *text) tilde(s string) string { return phrase.Shorten(s, t.Home, t.Sep) }

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(1, n-utf8.RuneCountInString(s)))
}

// wrap breaks a text at blanks. It does not break long words, so that a path can be copied.
func wrap(s string, n int) []string {
	n = max(n, 20)
	lines := []string{""}
	for _, word := range strings.Fields(s) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= n:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
