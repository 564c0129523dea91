package edit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

type span struct{ start, end int }

// member is one child of an object or array, with the start of its key (or value) and the place of its value.
type member struct {
	key string
	at  int
	val span
}

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

func (d *document) root() span {
	plain := d.plain()
	start := bytes.IndexByte(plain, '{')
	return span{start, bytes.LastIndexByte(plain, '}') + 1}
}

func (d *document) children(of span) []member {
	var ms []member
	raw := gjson.Result{Type: gjson.JSON, Raw: string(d.plain()[of.start:of.end]), Index: of.start}
	raw.ForEach(func(key, value gjson.Result) bool {
		m := member{val: span{value.Index, value.Index + len(value.Raw)}}
		m.at = m.val.start
		if key.Type == gjson.String {
			m.key, m.at = key.Str, key.Index
		} else {
			m.key = strconv.Itoa(len(ms))
		}
		ms = append(ms, m)
		return true
	})
	return ms
}

func (d *document) lookup(path []string) (member, bool) {
	m := member{val: d.root()}
	for _, key := range path {
		ms := d.children(m.val)
		i := slices.IndexFunc(ms, func(m member) bool { return m.key == key })
		if i < 0 {
			return member{}, false
		}
		m = ms[i]
	}
	return m, true
}

// insert adds a member (or, with an empty key, an element) at the end of the container at path, in the style of the
// others.
func (d *document) insert(path []string, key, raw string) []byte {
	parent, _ := d.lookup(path)
	c, ms := parent.val, d.children(parent.val)
	s := d.style()
	if key != "" {
		name, _ := json.Marshal(key)
		raw = string(name) + ":" + raw
	}
	inner := string(d.text[c.start+1 : c.end-1])
	if len(ms) == 0 {
		if !s.lines && !strings.Contains(inner, "\n") {
			return splice(d.text, cut{c.start + 1, c.end - 1, strings.TrimSpace(inner + " " + s.inline(raw))})
		}
		outer := d.indent(c.start)
		text := s.newline + s.block(raw, outer+s.unit)
		kept := strings.TrimRight(inner, " \t\r\n")
		return splice(d.text, cut{c.start + 1 + len(kept), c.end - 1, text + s.newline + outer})
	}
	last := ms[len(ms)-1]
	comma := d.comma(last.val.end, c.end-1)
	separator := cut{last.val.end, last.val.end, ","}
	if comma >= 0 {
		separator = cut{comma, comma + 1, ","}
	}
	if indent, ok := d.ownLine(ms[0].at); ok {
		if own, ok := d.ownLine(last.at); ok {
			indent = own
		}
		text := s.newline + s.block(raw, indent)
		if comma >= 0 {
			text += ","
		}
		end := c.start + 1 + len(strings.TrimRight(inner, " \t\r\n"))
		return splice(d.text, separator, cut{end, end, text})
	}
	text := s.gap + s.inline(raw)
	if comma >= 0 {
		text += ","
	}
	separator.with += text
	return splice(d.text, separator)
}

// without removes the child at path. It is the inverse of insert.
func (d *document) without(path []string) []byte {
	parent, _ := d.lookup(path[:len(path)-1])
	c, ms := parent.val, d.children(parent.val)
	i := slices.IndexFunc(ms, func(m member) bool { return m.key == path[len(path)-1] })
	if i < 0 {
		return d.text
	}
	m := ms[i]
	comma := d.comma(m.val.end, c.end-1)
	_, ownLine := d.ownLine(m.at)
	start := m.at
	if ownLine {
		start = d.lineBreak(m.at)
	}
	sameLine := i+1 < len(ms) && !bytes.ContainsRune(d.text[m.val.end:ms[i+1].at], '\n')
	switch {
	case comma >= 0 && sameLine:
		return splice(d.text, cut{m.at, ms[i+1].at, ""})
	case comma >= 0 && !ownLine && i > 0:
		before := d.comma(ms[i-1].val.end, m.at) + 1
		return splice(d.text, cut{before, comma + 1, ""})
	case comma >= 0:
		return splice(d.text, cut{start, m.val.end, ""}, cut{comma, comma + 1, ""})
	case i > 0:
		before := d.comma(ms[i-1].val.end, m.at)
		if !ownLine {
			start = before + 1 + len(bytes.TrimRight(d.text[before+1:m.at], " \t"))
		}
		return splice(d.text, cut{before, before + 1, ""}, cut{start, m.val.end, ""})
	}
	rest := string(d.text[c.start+1:start]) + string(d.text[m.val.end:c.end-1])
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	return splice(d.text, cut{c.start + 1, c.end - 1, rest})
}

// comma returns the index of the next comma outside comments, -1 if a value or the end comes first.
func (d *document) comma(from, end int) int {
	for i := from; i < end; i++ {
		switch c := d.text[i]; {
		case c == ',':
			return i
		case c == '/' && d.comments && i+1 < end && d.text[i+1] == '/':
			for i < end && d.text[i] != '\n' {
				i++
			}
		case c == '/' && d.comments && i+1 < end && d.text[i+1] == '*':
			length := bytes.Index(d.text[i+2:end], []byte("*/"))
			if length < 0 {
				return -1
			}
			i += length + 3
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return -1
		}
	}
	return -1
}

// ownLine returns the indentation of the token at i if it is the first on its line.
func (d *document) ownLine(i int) (indent string, ok bool) {
	start := bytes.LastIndexByte(d.text[:i], '\n') + 1
	indent = string(d.text[start:i])
	return indent, start > 0 && strings.Trim(indent, " \t") == ""
}

// indent returns the indentation of the line on which i is.
func (d *document) indent(i int) string {
	line := string(d.text[bytes.LastIndexByte(d.text[:i], '\n')+1:])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineBreak returns where the line break before i begins.
func (d *document) lineBreak(i int) int {
	at := bytes.LastIndexByte(d.text[:i], '\n')
	if at > 0 && d.text[at-1] == '\r' {
		at--
	}
	return at
}
