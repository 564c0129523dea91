package edit

import (
	"bytes"
	"slices"
	"strings"
)

// block returns the text with lines added at its end, after an empty line. If the last line had no line break, the new
// one has none either; cutItems relies on that.
func (d *document) block(lines ...string) []byte {
	nl := d.style().newline
	text := slices.Clone(d.text)
	end := nl
	if d.open() {
		text, end = append(text, nl...), ""
	}
	if len(text) > 0 {
		text = append(text, nl...)
	}
	return append(text, strings.Join(lines, nl)+end...)
}

// open reports whether the last line has no line break.
func (d *document) open() bool {
	return len(d.text) > 0 && d.text[len(d.text)-1] != '\n'
}

// assignTOML returns the text with a member added to a table that is not inline.
func (d *document) assignTOML(table []string, member string) ([]byte, error) {
	all, err := d.items()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(it item) bool { return it.header && slices.Equal(it.path, table) })
	if at >= 0 {
		for at+1 < len(all) && !all[at+1].header {
			at++
		}
		return d.line(all[at], member), nil
	}
	// The table exists only through dotted keys: add one.
	at = slices.IndexFunc(all, func(it item) bool {
		return !it.header && len(it.path) > len(table) && it.table < len(table) && below(it.path, table)
	})
	if at < 0 {
		return nil, errUnsafe
	}
	prefix := strings.Join(quoteAll(table[all[at].table:]), ".")
	return d.line(all[at], prefix+"."+member), nil
}

// line returns the text with a line inserted after an item's, with the same indentation.
func (d *document) line(it item, text string) []byte {
	start := d.lineStart(it.start)
	indent := string(d.text[start:it.start])
	end := d.lineEnd(it.end)
	if end == len(d.text) && d.open() {
		return splice(d.text, cut{end, end, d.style().newline + indent + text})
	}
	return splice(d.text, cut{end, end, indent + text + d.style().newline})
}

// cutItems returns the text without all items below a path: their lines, the text between them, and an empty line before
// each run of them.
func (d *document) cutItems(all []item, path []string) []byte {
	var cuts []cut
	for i := 0; i < len(all); i++ {
		if !below(all[i].path, path) {
			continue
		}
		start := d.lineStart(all[i].start)
		if all[i].header {
			start = d.emptyLineBefore(start)
		}
		for i+1 < len(all) && below(all[i+1].path, path) {
			i++
		}
		end := d.lineEnd(all[i].end)
		if end == len(d.text) && d.open() {
			start = len(bytes.TrimSuffix(bytes.TrimSuffix(d.text[:start], []byte("\n")), []byte("\r"))) // without its line break
		}
		cuts = append(cuts, cut{start, end, ""})
	}
	return splice(d.text, cuts...)
}

func (d *document) emptyLineBefore(start int) int {
	before := d.text[:start]
	switch {
	case bytes.HasSuffix(before, []byte("\r\n\r\n")), string(before) == "\r\n":
		return start - 2
	case bytes.HasSuffix(before, []byte("\n\n")), string(before) == "\n":
		return start - 1
	}
	return start
}
