package configgen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// JSON returns a document with or without hooks, and with members of other programs.
func JSON(r *rand.Rand, rules Rules) string {
	w := newWriter(r, rules.Comments)
	w.bare, w.finite = rules.Bare, rules.Bare || rules.Typed
	note := "mark"
	if rules.Lone {
		note = "description"
	}
	ms := []member{w.pair(note, literal(quote(Mark)))}
	if rules.Preset != "" {
		ms = append(ms, literal(rules.Preset))
	}
	if w.IntN(4) > 0 {
		ms = append(ms, w.pair("hooks", w.hooks(rules)))
	}
	if !rules.Lone {
		for range w.IntN(4) {
			ms = append(ms, w.pair(w.key(), w.value(3)))
		}
	}
	w.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	text := w.object("", ms...) + w.pick("", "\n", "\n\n")
	if rules.Comments && w.IntN(4) == 0 {
		text = w.pick("// mine", "/* mine\n \"hooks\": { */") + "\n" + text
	}
	return w.ends(text, !rules.Lone && !rules.Bare)
}

func literal(s string) member { return func(string) string { return s } }

type member func(indent string) string

func (w *writer) hooks(rules Rules) member {
	return func(indent string) string {
		var events []member
		for _, e := range rules.Events {
			if w.IntN(2) == 0 {
				events = append(events, w.pair(e, w.event(rules)))
			}
		}
		return w.object(indent, events...)
	}
}

func (w *writer) event(rules Rules) member {
	return func(indent string) string {
		return w.list(indent, w.IntN(3), func(indent string) string {
			if rules.Flat {
				return w.handler(indent, rules.Typed)
			}
			matcher := w.scalar
			if rules.Typed {
				matcher = func(string) string { return w.pick(`"Bash"`, `"^mcp__.*"`, `""`, `"wsi"`) }
			}
			return w.object(indent, w.pair("matcher", matcher), w.pair("hooks", func(indent string) string {
				return w.list(indent, w.IntN(3), func(indent string) string { return w.handler(indent, rules.Typed) })
			}))
		})
	}
}

func (w *writer) handler(indent string, typed bool) string {
	ms := []member{w.pair("type", literal(`"command"`)), w.pair("command", literal(quote(commands[w.IntN(len(commands))])))}
	if !typed {
		ms = append(ms, w.pair("x", w.value(1)))
	} else if w.IntN(2) == 0 {
		ms = append(ms, w.pair("timeout", literal(strconv.Itoa(1+w.IntN(100)))))
	}
	w.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	return w.object(indent, ms...)
}

func (w *writer) comment() string {
	if !w.comments || w.IntN(4) > 0 {
		return ""
	}
	if w.lines && w.IntN(2) == 0 {
		return " // it's, \"a\": {comment}"
	}
	return " /* a, comment ] */"
}

func (w *writer) container(open, shut, indent string, n int, member func(i int, indent string) string) string {
	if n == 0 {
		return open + shut
	}
	var b strings.Builder
	b.WriteString(open)
	inner := indent + w.unit
	for i := range n {
		if w.lines {
			b.WriteString("\n" + inner)
		} else if i > 0 {
			b.WriteString(w.gap)
		}
		b.WriteString(member(i, inner))
		if i < n-1 || w.trailing && w.lines {
			b.WriteString(",")
		}
		if w.lines {
			b.WriteString(w.comment())
		}
	}
	if w.lines {
		b.WriteString("\n" + indent)
	}
	return b.String() + shut
}

func (w *writer) list(indent string, n int, element member) string {
	return w.container("[", "]", indent, n, func(_ int, indent string) string { return element(indent) })
}

func (w *writer) object(indent string, members ...member) string {
	return w.container("{", "}", indent, len(members), func(i int, indent string) string { return members[i](indent) })
}

func (w *writer) pair(key string, value member) member {
	return func(indent string) string { return quote(key) + w.colon + value(indent) }
}

func (w *writer) scalar(string) string {
	if !w.finite && w.IntN(8) == 0 {
		return w.pick(strings.Repeat("9", 400), "1E400")
	}
	if !w.bare && w.IntN(4) == 0 {
		return w.pick(`"\u00e9\/ // no comment, \" [{"`, `"/* } */"`)
	}
	return w.pick("1", "-0", "12345678901234567890", "1.50e+3", "true", "null", `"x"`, `"ü"`, `""`, `"\ud83d\ude00 \" [{"`)
}

func (w *writer) value(depth int) member {
	return func(indent string) string {
		switch n := w.IntN(4); {
		case depth > 1 && w.IntN(40) == 0:
			const deep = 60
			return strings.Repeat("[", deep) + strings.Repeat("]", deep)
		case depth == 0 || w.IntN(2) == 0:
			return w.scalar(indent)
		case w.IntN(2) == 0:
			return w.list(indent, n, w.value(depth-1))
		default:
			var ms []member
			for range n {
				ms = append(ms, w.pair(w.key(), w.value(depth-1)))
			}
			return w.object(indent, ms...)
		}
	}
}
