package edit

import "strings"

// list is the place of a value in a file, and of its elements if it is a list.
type list struct {
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

// place locates a list in a text; comma returns the index of a comma in a part of it, or -1.
func place(text []byte, of span, kids []span, comma func(from, end int) int) list {
	l := list{span: of}
	for _, k := range kids {
		l.kids = append(l.kids, element{k, string(text[k.start:k.end])})
	}
	if len(kids) == 0 {
		return l
	}
	l.lead = string(text[of.start+1 : kids[0].start])
	if len(kids) > 1 {
		l.gap = string(text[kids[0].end:kids[1].start])
	}
	l.tail = kids[len(kids)-1].end
	if at := comma(l.tail, of.end-1); at >= 0 {
		l.tail = at + 1
	}
	return l
}

// prepend inserts raw elements before all others, in their style.
func (l list) prepend(raw []string) cut {
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
func (l list) without(n int) cut {
	if n == len(l.kids) {
		return cut{l.kids[0].start, l.tail, ""}
	}
	return cut{l.kids[0].start, l.kids[n].start, ""}
}

// array writes a list on one line.
func array(raw []string) string { return "[" + strings.Join(raw, ", ") + "]" }
