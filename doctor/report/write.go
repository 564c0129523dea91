package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"wsi/internal/phrase"
)

const schemaVersion = 1

// Document is the JSON of a report, described in docs/doctor.schema.json.
type Document struct {
	Schema  int            `json:"schema_version"`
	Healthy bool           `json:"healthy"`
	Counts  map[Status]int `json:"counts"`
	Report
}

// JSON writes a report as JSON. Show writes the home folder as ~. Ids and names of members are stable.
func (r Report) JSON(w io.Writer, show func(string) string) error {
	return Encode(w, Document{schemaVersion, r.Healthy(), r.Counts(), r.shown(show)})
}

// Encode writes JSON for people and programs.
func Encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// shown returns the report with the home folder as ~.
func (r Report) shown(show func(string) string) Report {
	short := func(found []Finding) []Finding {
		found = append([]Finding{}, found...)
		for i, f := range found {
			found[i].Text, found[i].Fix = show(f.Text), f.Fix.Map(show)
		}
		return found
	}
	r.Own, r.Groups = short(r.Own), append([]Group{}, r.Groups...)
	for i, g := range r.Groups {
		r.Groups[i].Findings = short(g.Findings)
	}
	return r
}

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
	fmt.Fprintf(&b, "### %s, %s\n\n", strings.TrimSpace("wsi doctor "+r.Version), r.Platform)
	n := r.Counts()
	fmt.Fprintf(&b, "%d ok, %s, %s, %d not checked\n", n[OK], phrase.Count(n[Warn], "warning"), phrase.Count(n[Fail], "fault"), n[Info]+n[Skip])
	if len(r.Own) > 0 {
		b.WriteString("\n#### wsi\n\n")
		hide.rows(&b, r.Own)
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "\n#### %s\n\n", hide.cell(strings.TrimSpace(g.Name+" "+g.Version)))
		for i, j := range g.Chain {
			if i > 0 {
				b.WriteString(" → ")
			}
			fmt.Fprintf(&b, "%s %s", j.Link, cmp.Or(map[Status]string{OK: "✓", Warn: "!", Fail: "✗"}[g.Link(j.Link)], "–"))
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
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", f.Status, f.ID, hide.cell(f.Text+f.Duration()), hide.cell(f.Fix.String()))
	}
}

// likeValues matches what looks like a value. It matches no word, path or hash in a finding.
var likeValues = sync.OnceValue(func() *regexp.Regexp { // not compiled at start, which would slow down every hook
	return regexp.MustCompile(`[A-Za-z0-9_+/=-]{24,}\.[A-Za-z0-9_+/=.-]{16,}|[A-Za-z0-9_+=-]{48,}`)
})

// likeFolders returns two patterns. folders matches a path: what is before it, its folder, and the last name in it. usual matches
// the folders that every machine has.
var likeFolders = sync.OnceValues(func() (folders, usual *regexp.Regexp) {
	const sep, rest = `(?:/|\\\\?)`, `[^\s'"\x60/\\|:,;<>=]*`
	const words = `[^\s'"\x60/\\|:,;<>=]` + rest + `(?: [^\s'"\x60/\\|:,;<>=~.([-]` + rest + `)*` // after a space no other path begins
	return regexp.MustCompile(`(^|file://|[^\pL\pN_.~/\\>-])((?:~|[A-Za-z]:)?` + sep + `(?:` + words + sep + `)+)([^\s'"\x60/\\|:,;<>=]+)?`),
		regexp.MustCompile(`(?i)^(~[/\\](\.|(bin|library|appdata)[/\\])|/(usr|etc|bin|sbin|dev|proc|nix|snap|opt/homebrew|applications|library)/|` +
			`[a-z]:[/\\]+(windows|program files( \(x86\))?|programdata)[/\\])`)
})

// cell returns a text without folders, values and markup.
func (hide Redaction) cell(s string) string {
	s = hide.folder(s, hide.Cwd, "<project>")
	s = hide.folder(s, hide.Home, "~")
	folders, usual := likeFolders()
	s = folders.ReplaceAllStringFunc(s, func(path string) string {
		part := folders.FindStringSubmatch(path)
		switch {
		case usual.MatchString(part[2]):
			return path
		case strings.Contains(strings.TrimRight(part[3], "."), "."): // not a folder or a program
			return part[1] + "<folder>/" + part[3]
		}
		return part[1] + "<folder>"
	})
	s = likeValues().ReplaceAllString(s, "<hidden>")
	return markup.Replace(s)
}

// folder replaces a folder everywhere, also in quotes. Where something else follows it, it is left to likeFolders.
func (hide Redaction) folder(s, path, with string) string {
	if len(path) <= len(hide.Sep) || path == hide.Home && with != "~" {
		return s
	}
	var pairs []string
	for _, after := range []string{hide.Sep, " ", ":", ",", ";", "'", `"`, ")"} {
		pairs = append(pairs, path+after, with+after)
	}
	return strings.TrimSuffix(strings.NewReplacer(pairs...).Replace(s+" "), " ")
}

var markup = strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "@", "@\u200b", "#", "\\#")
