package rules

import (
	"errors"
	"strconv"
	"strings"

	"wsi/hook/carry"
)

// format is the first line of the compiled form. The number must change when the form changes.
const format = "wsi rules 5"

var errFormat = errors.New("not compiled rules of this wsi")

// Encode returns the compiled form: one field on each line, which is decoded without reflection. Parse
// refuses control characters, so a field cannot contain a line break.
func Encode(s Set) []byte {
	c := coder{writing: true}
	c.set(&s)
	return []byte(c.out.String())
}

// Decode reads the compiled form.
func Decode(compiled []byte) (Set, error) {
	var s Set
	c := coder{in: string(compiled)}
	c.set(&s)
	if c.bad || c.in != "" {
		return Set{}, errFormat
	}
	return s, nil
}

// coder encodes or decodes fields. Both use the same list of fields, so that they cannot differ.
type coder struct {
	writing bool
	out     strings.Builder
	in      string
	bad     bool
}

func (c *coder) text(s *string) {
	if c.writing {
		c.out.WriteString(*s)
		c.out.WriteByte('\n')
		return
	}
	line, rest, ok := strings.Cut(c.in, "\n")
	if c.bad = c.bad || !ok; !c.bad {
		*s, c.in = line, rest
	}
}

func (c *coder) number(n *int) {
	s := strconv.Itoa(*n)
	c.text(&s)
	if !c.writing && !c.bad {
		var err error
		*n, err = strconv.Atoi(s)
		c.bad = err != nil || *n < 0
	}
}

func (c *coder) yes(b *bool) {
	s := strconv.FormatBool(*b)
	c.text(&s)
	*b = s == "true"
	c.bad = c.bad || s != "true" && s != "false"
}

// list encodes or decodes the number of elements, then the elements.
func list[T any](c *coder, l *[]T, each func(*T)) {
	n := len(*l)
	c.number(&n)
	if c.bad || n > len(c.in) && !c.writing { // an element has at least one line
		c.bad = true
		return
	}
	if !c.writing && n > 0 {
		*l = make([]T, n)
	}
	for i := range *l {
		each(&(*l)[i])
	}
}

func (c *coder) set(s *Set) {
	first := format
	c.text(&first)
	if c.bad = c.bad || first != format; c.bad {
		return
	}
	c.yes(&s.Keying)
	list(c, &s.Leave, c.text)
	list(c, &s.Rules, c.rule)
}

func (c *coder) rule(r *Rule) {
	c.text(&r.Name)
	c.yes(&r.Off)
	list(c, &r.Servers, c.text)
	c.tools(&r.Tools)
	c.text((*string)(&r.Shape))
	c.yes(&r.Secret)
	c.text(&r.Scope)
	list(c, &r.Capture.From, c.source)
	c.tools(&r.Capture.Tools)
	list(c, &r.Capture.Key, c.source)
	c.yes(&r.Capture.Each)
	c.yes(&r.Capture.Errors)
	c.text(&r.Inside.Decode)
	c.text(&r.Inside.Order)
	c.text(&r.Inside.ChildOf)
	c.tools(&r.Flow.Opens)
	c.text(&r.Flow.Parent)
	c.tools(&r.Flow.Changes)
	c.tools(&r.Flow.Keeps)
	list(c, &r.Flow.Lost, c.source)
	list(c, &r.Inject, c.inject)
	list(c, &r.Repair, c.repair)
	c.together(&r.Together)
	c.collect(&r.Collect)
	c.show(&r.Show)
	c.yes(&r.Alias)
}

func (c *coder) tools(t *carry.Tools) { list(c, (*[]string)(t), c.text) }

func (c *coder) source(s *carry.Source) {
	c.text((*string)(&s.Kind))
	c.text((*string)(&s.Path))
	c.text((*string)(&s.Pattern))
}

func (c *coder) inject(i *carry.Inject) {
	c.tools(&i.Tools)
	c.tools(&i.Except)
	c.text((*string)(&i.Argument))
	c.yes(&i.Create)
	c.text(&i.When)
	c.text(&i.Choose)
	c.text((*string)(&i.Key))
	list(c, &i.Unless, c.text)
	c.text(&i.Otherwise)
}

func (c *coder) together(t *carry.Together) {
	c.tools(&t.Tools)
	c.paths(&t.By)
	c.text((*string)(&t.Applies))
	list(c, &t.Values, func(p *carry.Part) {
		c.text((*string)(&p.Argument))
		c.source(&p.From)
	})
}

func (c *coder) collect(k *carry.Collect) {
	list(c, &k.From, c.source)
	list(c, &k.Key, c.source)
	c.tools(&k.Tools)
	c.tools(&k.Into)
	c.text((*string)(&k.Argument))
	c.text((*string)(&k.By))
}

func (c *coder) show(s *carry.Show) {
	list(c, &s.From, c.source)
	c.text(&s.When)
	c.tools(&s.Tools)
	c.number(&s.Max)
}

func (c *coder) paths(p *[]carry.Path) { list(c, p, func(p *carry.Path) { c.text((*string)(p)) }) }

func (c *coder) repair(r *carry.RepairRule) {
	c.tools(&r.Tools)
	c.paths(&r.Arguments)
	c.text((*string)(&r.Mode))
	c.number(&r.Max)
	c.number(&r.Margin)
}
