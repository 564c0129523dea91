package carry

import (
	"strconv"
	"strings"
)

// Most shapes are runs of characters, as in ^[A-Z]{3,}-[0-9]{8}$. Package regexp takes 10 to 30 microseconds to
// compile one of the built-in rules', in every run of the hook; this takes less than one.

// run is min to max characters of a class.
type run struct {
	class    class
	min, max int
}

// class is a set of ASCII characters.
type class [2]uint64

func (c *class) add(from, to byte) {
	for ; from <= to; from++ {
		c[from>>6] |= 1 << (from & 63)
	}
}

func (c *class) has(b byte) bool { return b < 0x80 && c[b>>6]&(1<<(b&63)) != 0 }

const endless = 1 << 30

// runsOf parses a pattern that consists of such runs. ok is false for any other pattern, and if a run could
// match characters that the next one needs.
func runsOf(pattern string) (runs []run, ok bool) {
	rest, begins := strings.CutPrefix(pattern, "^")
	rest, ends := strings.CutSuffix(rest, "$")
	if !begins || !ends || rest == "" {
		return nil, false
	}
	for rest != "" {
		var r run
		if r.class, rest, ok = classOf(rest); !ok {
			return nil, false
		}
		if r.min, r.max, rest, ok = countOf(rest); !ok {
			return nil, false
		}
		runs = append(runs, r)
	}
	for i := range len(runs) - 1 {
		a, b := runs[i], runs[i+1]
		if a.min != a.max && (b.min == 0 || a.class[0]&b.class[0]|a.class[1]&b.class[1] != 0) {
			return nil, false
		}
	}
	return runs, true
}

func classOf(s string) (c class, rest string, ok bool) {
	if s[0] != '[' {
		return single(s)
	}
	body, rest, closed := strings.Cut(s[1:], "]")
	if !closed || body == "" || strings.ContainsAny(body, `^[\`) {
		return c, "", false
	}
	for i := 0; i < len(body); i++ {
		from, to := body[i], body[i]
		if i+2 < len(body) && body[i+1] == '-' {
			to = body[i+2]
			i += 2
		}
		if from > to || to >= 0x80 {
			return c, "", false
		}
		c.add(from, to)
	}
	return c, rest, true
}

// single returns the class of one literal character.
func single(s string) (c class, rest string, ok bool) {
	b := s[0]
	if b == '\\' && len(s) > 1 && strings.IndexByte(`.-_:/|+*?()[]{}^$\`, s[1]) >= 0 {
		s, b = s[1:], s[1]
	} else if b >= 0x80 || strings.IndexByte(`.|+*?()[]{}^$\`, b) >= 0 {
		return c, "", false
	}
	c.add(b, b)
	return c, s[1:], true
}

// countOf reads {n}, {n,}, {n,m}, + or nothing.
func countOf(s string) (least, most int, rest string, ok bool) {
	switch {
	case s != "" && strings.IndexByte("*?", s[0]) >= 0:
		return 0, 0, "", false
	case strings.HasPrefix(s, "+"):
		return 1, endless, s[1:], !strings.HasPrefix(s[1:], "?") && !strings.HasPrefix(s[1:], "+")
	case !strings.HasPrefix(s, "{"):
		return 1, 1, s, true
	}
	body, rest, closed := strings.Cut(s[1:], "}")
	low, high, two := strings.Cut(body, ",")
	least, ok = number(low)
	most = least
	if two && high == "" {
		most = endless
	} else if two && ok {
		most, ok = number(high)
	}
	return least, most, rest, ok && closed && most >= least && (rest == "" || strings.IndexByte("?*+{", rest[0]) < 0)
}

// number parses a number as package regexp does: 01 and +1 are not numbers.
func number(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}

// matchRuns reports whether the runs match the whole value.
func matchRuns(runs []run, value string) bool {
	for _, r := range runs {
		n := 0
		for n < len(value) && n < r.max && r.class.has(value[n]) {
			n++
		}
		if n < r.min {
			return false
		}
		value = value[n:]
	}
	return value == ""
}
