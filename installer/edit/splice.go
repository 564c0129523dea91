package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

type span struct{ start, end int }

// cut replaces the bytes from start to end.
type cut struct {
	start, end int
	with       string
}

// splice makes all cuts, which must not overlap.
func splice(text []byte, cuts ...cut) []byte {
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, c := range cuts {
		out.Write(text[at:c.start])
		out.WriteString(c.with)
		at = c.end
	}
	out.Write(text[at:])
	return out.Bytes()
}

// extend returns the text with a raw member (or, with an empty key, an element) at the end of a container, in the style of the
// others.
func (d *document) extend(c node, key, raw string) []byte {
	s := d.style()
	if compact := (bytes.Buffer{}); d.format != setup.TOML && json.Compact(&compact, []byte(raw)) == nil {
		raw = compact.String() // the style adds white space
	}
	switch {
	case key != "" && d.format == setup.TOML:
		key, raw = "", d.member(key, raw)
	case key != "":
		key = d.quote(key)
	}
	inner := string(d.text[c.start+1 : c.end-1])
	kept := c.start + 1 + len(strings.TrimRight(inner, " \t\r\n"))
	if len(c.kids) == 0 {
		outer := string(d.text[d.lineStart(c.start):])
		switch outer = outer[:len(outer)-len(strings.TrimLeft(outer, " \t"))]; {
		case d.format == setup.TOML && kept > c.start+1: // it has a comment
			return splice(d.text, cut{kept, kept, s.newline + raw})
		case d.format == setup.TOML && c.kind == kindObject:
			return splice(d.text, cut{c.start + 1, c.end - 1, " " + raw + " "})
		case d.format == setup.TOML, !s.lines && !strings.Contains(inner, "\n"):
			return splice(d.text, cut{c.start + 1, c.end - 1, strings.TrimSpace(inner + " " + s.inline(key, raw))})
		default:
			return splice(d.text, cut{kept, c.end - 1, s.newline + s.block(key, raw, outer+s.unit) + s.newline + outer})
		}
	}
	first, last := c.kids[0], c.kids[len(c.kids)-1]
	if d.format == setup.TOML {
		first = last
	}
	separator, trail := cut{last.val.end, last.val.end, ","}, ""
	if comma := d.comma(last.val.end, c.end-1); comma >= 0 {
		separator.start, separator.end, trail = comma, comma+1, ","
	}
	indent, lines := d.ownLine(first.at)
	after := strings.TrimLeft(string(d.text[separator.end:max(separator.end, kept)]), " \t")
	if d.format == setup.JSONC && !lines && strings.HasPrefix(after, "//") { // the comment stays next to what it is about
		line := string(d.text[d.lineStart(c.start):])
		indent, lines = line[:len(line)-len(strings.TrimLeft(line, " \t"))]+s.unit, true
	}
	if lines {
		if own, ok := d.ownLine(last.at); ok {
			indent = own
		}
		return splice(d.text, separator, cut{kept, kept, s.newline + s.block(key, raw, indent) + trail})
	}
	separator.with += s.gap + s.inline(key, raw) + trail
	return splice(d.text, separator)
}

// without returns the text without the kid at i of a container. It is the inverse of extend.
func (d *document) without(c node, i int) []byte {
	k := c.kids[i]
	comma := d.comma(k.val.end, c.end-1)
	_, ownLine := d.ownLine(k.at)
	start := k.at
	if ownLine {
		start = d.lineBreak(k.at)
	}
	sameLine := i+1 < len(c.kids) && !bytes.ContainsRune(d.text[k.val.end:c.kids[i+1].at], '\n')
	before := -1
	if i > 0 {
		before = d.comma(c.kids[i-1].val.end, k.at)
	}
	switch {
	case comma >= 0 && sameLine:
		return splice(d.text, cut{k.at, c.kids[i+1].at, ""})
	case comma >= 0 && !ownLine && i > 0:
		return splice(d.text, cut{before + 1, comma + 1, ""})
	case comma >= 0 && (ownLine || len(c.kids) > 1 || d.format != setup.TOML):
		return splice(d.text, cut{start, k.val.end, ""}, cut{comma, comma + 1, ""})
	case i > 0:
		if !ownLine {
			start = before + 1 + len(bytes.TrimRight(d.text[before+1:k.at], " \t"))
		}
		return splice(d.text, cut{before, before + 1, ""}, cut{start, k.val.end, ""})
	}
	rest := string(d.text[c.start+1:start]) + string(d.text[max(k.val.end, comma+1):c.end-1])
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	return splice(d.text, cut{c.start + 1, c.end - 1, rest})
}

// prepend returns the text with raw elements before all others of a list, in their style.
func (d *document) prepend(l node, raw []string) []byte {
	if len(l.kids) == 0 {
		return splice(d.text, cut{l.start + 1, l.start + 1, strings.Join(raw, ", ")})
	}
	start, separator := l.kids[0].at, ", "
	if _, ok := d.ownLine(start); ok && d.lineStart(start) > l.start {
		separator = "," + string(d.text[d.lineBreak(start):start])
	} else if len(l.kids) > 1 && d.lineStart(start) <= l.start {
		if gap := string(d.text[l.kids[0].val.end:l.kids[1].at]); strings.Trim(gap, " \t") == "," {
			separator = gap
		}
	}
	return splice(d.text, cut{start, start, strings.Join(raw, separator) + separator})
}

// withoutFirst returns the text without the first n elements of a list. It is the inverse of prepend.
func (d *document) withoutFirst(l node, n int) []byte {
	if n < len(l.kids) {
		return splice(d.text, cut{l.kids[0].at, l.kids[n].at, ""})
	}
	end := l.kids[n-1].val.end
	if comma := d.comma(end, l.end-1); comma >= 0 {
		end = comma + 1
	}
	return splice(d.text, cut{l.kids[0].at, end, ""})
}

// comma returns the index of the next comma outside comments, -1 if a value or the end comes first.
func (d *document) comma(from, end int) int {
	if at := d.skip(from, " \t\r\n"); at < end && d.text[at] == ',' {
		return at
	}
	return -1
}

// skip skips these characters and comments.
func (d *document) skip(i int, blank string) int {
	for i < len(d.text) {
		end := d.comment(i)
		switch {
		case end > i:
			i = end
		case strings.IndexByte(blank, d.text[i]) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

// comment returns the end of a comment that begins at i, i if none does, and -1 if it does not end.
func (d *document) comment(i int) int {
	rest := d.text[i:]
	switch {
	case d.format == setup.TOML && rest[0] == '#', d.format == setup.JSONC && bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(d.text)
	case d.format == setup.JSONC && bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return i + n + 4
		}
		return -1
	}
	return i
}

// ownLine returns the indentation of the token at i if it is the first on its line.
func (d *document) ownLine(i int) (indent string, ok bool) {
	start := d.lineStart(i)
	indent = string(d.text[start:i])
	return indent, start > 0 && strings.Trim(indent, " \t") == ""
}

// lineStart returns the start of the line on which i is, and lineEnd that of the next one.
func (d *document) lineStart(i int) int { return bytes.LastIndexByte(d.text[:i], '\n') + 1 }

func (d *document) lineEnd(i int) int {
	if n := bytes.IndexByte(d.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(d.text)
}

// lineBreak returns where the line break before i begins.
func (d *document) lineBreak(i int) int {
	at := d.lineStart(i) - 1
	if at > 0 && d.text[at-1] == '\r' {
		at--
	}
	return at
}

// style is the formatting of a document.
type style struct {
	as      setup.Format
	lines   bool   // members have lines of their own
	unit    string // one step of indentation
	newline string
	gap     string // text after a colon or a comma on the same line
}

func (d *document) style() style {
	s := style{as: d.format, lines: true, unit: "  ", newline: "\n", gap: " "}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	root, _ := d.find()
	if len(root.kids) == 0 || d.format == setup.TOML {
		return s
	}
	first := root.kids[0]
	if indent, ok := d.ownLine(first.at); ok {
		s.unit = indent
		return s
	}
	if indent := d.firstIndent(); indent != "" {
		s.unit = indent
	}
	s.lines = false
	if !strings.ContainsAny(string(d.text[first.val.start-1]), " \t") {
		s.gap = ""
	}
	return s
}

// firstIndent returns the indentation of the first indented line.
func (d *document) firstIndent() string {
	for line := range bytes.Lines(d.text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return ""
}

// block formats a value, after a quoted key if that is not empty, over several lines, with the first one indented too. In TOML it
// stays as it is.
func (s style) block(key, raw, indent string) string {
	if key != "" {
		key += ": "
	}
	var b bytes.Buffer
	if s.as != setup.TOML && json.Indent(&b, []byte(raw), indent, s.unit) == nil {
		raw = strings.ReplaceAll(b.String(), "\n", s.newline)
	}
	return indent + key + raw
}

// inline formats a value, after a quoted key if that is not empty, on one line.
func (s style) inline(key, raw string) string {
	if key != "" {
		key += ":" + s.gap
	}
	var b bytes.Buffer
	if s.as != setup.TOML && s.gap != "" && json.Indent(&b, []byte(raw), "", "") == nil {
		raw = strings.NewReplacer(",\n", ", ", "\n", "").Replace(b.String())
	}
	return key + raw
}

// fields are the members of a new object. A value is a string, a number, fields, a list of them, or verbatim.
type fields []field

type verbatim string

type field struct {
	key   string
	value any
}

// and adds a member unless it is empty.
func (f fields) and(key string, value any) fields {
	if value == "" || value == 0 {
		return f
	}
	return append(f, field{key, value})
}

// raw returns a value as it is written: compact in JSON, and on one line in TOML.
func (d *document) raw(value any) string {
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case fields:
		all := lists.Map(v, d.rawMember)
		if d.format == setup.TOML {
			return "{ " + strings.Join(all, ", ") + " }"
		}
		return "{" + strings.Join(all, ",") + "}"
	case []fields:
		return array(lists.Map(v, func(f fields) string { return d.raw(f) }))
	case verbatim:
		return string(v)
	}
	return d.quote(fmt.Sprint(value))
}

// meant returns a value as the tree has it.
func (d *document) meant(value any) any {
	switch v := value.(type) {
	case int:
		if d.format == setup.TOML {
			return int64(v)
		}
		return json.Number(strconv.Itoa(v))
	case fields:
		table := map[string]any{}
		for _, f := range v {
			table[f.key] = d.meant(f.value)
		}
		return table
	case []fields:
		all := []any{}
		for _, f := range v {
			all = append(all, d.meant(f))
		}
		return all
	case verbatim:
		decoded, _ := setup.DecodeJSON[any]([]byte(v)) // an invalid one is not what the text says
		return decoded
	}
	return value
}

func (d *document) rawMember(f field) string { return d.member(f.key, d.raw(f.value)) }

// member returns a raw member.
func (d *document) member(key, raw string) string {
	if d.format == setup.TOML {
		return quoteAll([]string{key})[0] + " = " + raw
	}
	return setup.JSONText(key) + ":" + raw
}

func (d *document) quote(s string) string {
	if d.format == setup.TOML {
		return quoteTOML(s)
	}
	return setup.JSONText(s)
}
