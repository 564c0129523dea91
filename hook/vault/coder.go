package vault

import (
	"strconv"

	"wsi/internal/rawjson"
)

// coder encodes or decodes members of a JSON object. Both use the same list of members, so that they cannot
// differ.
type coder struct {
	out []byte // encoding: what was written

	decoding bool
	members  rawjson.Members // of the current object
	failed   bool            // a value has the wrong type
}

// value encodes *v, or decodes raw into it.
type value[T any] func(c *coder, raw []byte, v *T)

func text(c *coder, raw []byte, s *string) {
	if !c.decoding {
		c.out = rawjson.AppendQuote(c.out, *s)
	} else if !isNone(raw) {
		var ok bool
		*s, ok = rawjson.Unquote(raw)
		c.failed = c.failed || !ok
	}
}

func number[T int | int64](c *coder, raw []byte, n *T) {
	if !c.decoding {
		c.out = strconv.AppendInt(c.out, int64(*n), 10)
	} else if !isNone(raw) {
		m, err := strconv.ParseInt(string(raw), 10, 64)
		*n = T(m)
		c.failed = c.failed || err != nil
	}
}

// object returns the value that is an object with these members.
func object[T any](members func(*coder, *T)) value[T] {
	return func(c *coder, raw []byte, v *T) {
		if !c.decoding {
			c.out = append(c.out, '{')
			members(c, v)
			c.out = append(c.out, '}')
		} else if !isNone(raw) {
			outer := c.members
			var err error
			c.members, err = rawjson.ObjectIn(raw)
			c.failed = c.failed || err != nil
			members(c, v)
			c.members = outer
		}
	}
}

// isNone reports whether a value is absent.
func isNone(raw []byte) bool { return raw == nil || string(raw) == "null" }

func (c *coder) key(key string) {
	if c.out[len(c.out)-1] != '{' {
		c.out = append(c.out, ',')
	}
	c.out = append(append(append(c.out, '"'), key...), '"', ':')
}

// member encodes or decodes one member.
func member[T any](c *coder, key string, v *T, one value[T]) {
	if c.decoding {
		one(c, c.members.Get(key), v)
		return
	}
	c.key(key)
	one(c, nil, v)
}

func (c *coder) text(key string, s *string) { member(c, key, s, text) }
func (c *coder) number(key string, n *int)  { member(c, key, n, number) }

// textIfAny omits an empty text.
func (c *coder) textIfAny(key string, s *string) {
	if c.decoding || *s != "" {
		c.text(key, s)
	}
}

// numberIfAny omits zero.
func (c *coder) numberIfAny(key string, n *int) {
	if c.decoding || *n != 0 {
		c.number(key, n)
	}
}

// flag omits false.
func (c *coder) flag(key string, set *bool) {
	if !c.decoding {
		if *set {
			c.key(key)
			c.out = append(c.out, "true"...)
		}
		return
	}
	raw := c.members.Get(key)
	*set = string(raw) == "true"
	c.failed = c.failed || !*set && !isNone(raw) && string(raw) != "false"
}

// list omits an empty list.
func list[T any](c *coder, key string, l *[]T, one value[T]) {
	if c.decoding || len(*l) > 0 {
		listOrNull(c, key, l, one)
	}
}

// listOrNull writes null for nil.
func listOrNull[T any](c *coder, key string, l *[]T, one value[T]) {
	member(c, key, l, func(c *coder, raw []byte, l *[]T) {
		switch {
		case c.decoding && !isNone(raw):
			elements, err := rawjson.ArrayIn(raw)
			c.failed = c.failed || err != nil
			*l = make([]T, len(elements))
			for i := range elements {
				one(c, elements[i], &(*l)[i])
			}
		case c.decoding:
		case *l == nil:
			c.out = append(c.out, "null"...)
		default:
			c.out = append(c.out, '[')
			for i := range *l {
				if i > 0 {
					c.out = append(c.out, ',')
				}
				one(c, nil, &(*l)[i])
			}
			c.out = append(c.out, ']')
		}
	})
}
