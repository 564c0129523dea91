package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
)

// Redaction configures what a report for other people must not show.
type Redaction struct {
	Home string // shown as ~
	Cwd  string // shown as <project>
	Sep  string // between folders
}

// Markdown writes a report that can be pasted into an issue: all findings, without the user's folders and without
// anything that looks like a value.
func (r Report) Markdown(w io.Writer, hide Redaction) error {
	var b strings.Builder
	n := r.Counts()
	fmt.Fprintf(&b, "### wsi doctor%s, %s\n\n", behind(r.Version), r.Platform)
	fmt.Fprintf(&b, "%d ok, %d attention, %d broken, %d not checked\n", n[OK], n[Warn], n[Fail], n[Info]+n[Skip])
	if len(r.Own) > 0 {
		b.WriteString("\n#### wsi\n\n")
		hide.rows(&b, r.Own)
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "\n#### %s\n\n", hide.cell(g.Name+behind(g.Version)))
		for i, j := range g.Chain {
			if i > 0 {
				b.WriteString(" → ")
			}
			fmt.Fprintf(&b, "%s %s", j.Link, j.Status.inChain().look().symbol)
		}
		if len(g.Chain) > 0 {
			b.WriteString("\n\n")
		}
		hide.rows(&b, g.Findings)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (hide Redaction) rows(b *strings.Builder, found []Finding) {
	b.WriteString("| | check | found | fix |\n|---|---|---|---|\n")
	for _, f := range found {
		text := f.Text
		if f.Took > 0 {
			text += fmt.Sprintf(" (%d ms)", f.Took)
		}
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", f.Status, f.ID, hide.cell(text), hide.cell(f.Fix))
	}
}

// likeValues matches what looks like a value. It matches no word, path or hash in a finding.
var likeValues = sync.OnceValue(func() *regexp.Regexp { // not compiled at start, which would slow down every hook
	return regexp.MustCompile(`[A-Za-z0-9_+/=-]{24,}\.[A-Za-z0-9_+/=.-]{16,}|[A-Za-z0-9_+=-]{48,}`)
})

// cell returns a text without folders, values and markup.
func (hide Redaction) cell(s string) string {
	s = hide.folder(s, hide.Cwd, "<project>")
	s = hide.folder(s, hide.Home, "~")
	s = likeValues().ReplaceAllString(s, "<hidden>")
	return markup.Replace(s)
}

// folder replaces a folder everywhere, also in quotes.
func (hide Redaction) folder(s, path, with string) string {
	if len(path) <= len(hide.Sep) || path == hide.Home && with != "~" {
		return s
	}
	return strings.ReplaceAll(s, path, with)
}

var markup = strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "@", "@\u200b", "#", "\\#")
