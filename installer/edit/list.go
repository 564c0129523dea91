package edit

import "strings"

// elements is the place of a value in a file, and of its elements if it is a list.
type elements struct {
	span
	kids []element
	lead string // text before the first element
	gap  string // text between the first two
	tail int    // the end of the last element and its comma
}

// element is an element in its original form.
type element struct {
	span
	text string
}

// elements locates a list.
func (d *document) elements(path []string) (l elements, ok bool) {
	v, ok := d.find(path...)
	l = elements{span: v.span}
	if len(v.elements()) == 0 {
		return l, ok
	}
	for _, k := range v.kids {
		l.kids = append(l.kids, element{k.val.span, string(d.text[k.val.start:k.val.end])})
	}
	first, last := l.kids[0], l.kids[len(l.kids)-1]
	l.lead = string(d.text[v.start+1 : first.start])
	if len(l.kids) > 1 {
		l.gap = string(d.text[first.end:l.kids[1].start])
	}
	l.tail = last.end
	if at := d.comma(l.tail, v.end-1); at >= 0 {
		l.tail = at + 1
	}
	return l, ok
}

// prepend inserts raw elements before all others, in their style.
func (l elements) prepend(raw []string) cut {
	if len(l.kids) == 0 {
		return cut{l.start + 1, l.start + 1, strings.Join(raw, ", ")}
	}
	separator := ", "
	switch at := strings.LastIndexByte(l.lead, '\n'); {
	case at >= 0 && strings.TrimSpace(l.lead[at:]) == "":
		if at > 0 && l.lead[at-1] == '\r' {
			at--
		}
		separator = "," + l.lead[at:]
	case at < 0 && strings.Trim(l.gap, " \t") == ",":
		separator = l.gap
	}
	start := l.kids[0].start
	return cut{start, start, strings.Join(raw, separator) + separator}
}

// without removes the first n elements. It is the inverse of prepend.
func (l elements) without(n int) cut {
	if n == len(l.kids) {
		return cut{l.kids[0].start, l.tail, ""}
	}
	return cut{l.kids[0].start, l.kids[n].start, ""}
}

// array writes a list on one line.
func array(raw []string) string { return "[" + strings.Join(raw, ", ") + "]" }
