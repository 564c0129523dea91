package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

type reader struct {
	name string
	file []byte
	errs Errors
}

const maxErrors = 100

func (r *reader) wrong(at int, write, format string, args ...any) {
	if len(r.errs) == maxErrors {
		return
	}
	line, column := position(r.file, at)
	r.errs = append(r.errs, &Error{File: r.name, Line: line, Column: column, What: fmt.Sprintf(format, args...), Write: write})
}

func (r *reader) broken(err error) {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		r.wrong(0, "", "this file cannot be read: %v", err)
		return
	}
	write := "name = value, with strings in quotes and lists in [ ]"
	if strings.Contains(at.Error(), "already") {
		write = "it only once"
	}
	line, column := at.Position()
	r.errs = append(r.errs, &Error{
		File: r.name, Line: line, Column: column,
		What: "this is not TOML: " + strings.TrimPrefix(at.Error(), "toml: "), Write: write,
	})
}

// only reports every key of a table that is not known.
func (r *reader) only(t *node, where string, known ...string) {
	for _, m := range t.members {
		if !slices.Contains(known, m.name) {
			r.wrong(m.at, oneOf(nearest(m.name, known)), "unknown key %q in %s", m.name, where)
		}
	}
}

// need reports a key that a table must have.
func (r *reader) need(t *node, name, write, missing string) {
	if t.get(name) == nil {
		r.wrong(t.at, write, "%s", missing)
	}
}

// take returns a member of this kind, nil if there is none.
func (r *reader) take(t *node, name string, want kind) *node {
	v := t.get(name)
	if v == nil {
		return nil
	}
	if v.kind != want {
		r.wrong(v.at, example(want, name), "%s is %s and must be %s", name, v.kind, want)
		return nil
	}
	return v
}

// table returns the table of [carry.name] with these keys, nil if there is none.
func (r *reader) table(t *node, name string, known ...string) *node {
	v := r.take(t, name, aTable)
	if v != nil {
		r.only(v, "[carry."+name+"]", known...)
	}
	return v
}

func example(k kind, name string) string {
	switch k {
	case aTable:
		return "[carry." + name + "]"
	case aList:
		return name + ` = ["..."]`
	case aBool:
		return name + " = true or " + name + " = false"
	case aNumber:
		return name + " = 2"
	}
	return name + ` = "..."`
}

// text returns a string of one line, not empty, and its place; "" if there is none.
func (r *reader) text(t *node, name string) (s string, at int) {
	v := r.take(t, name, aString)
	if v == nil || !r.plain(v, name) {
		return "", t.at
	}
	return v.text, v.at
}

func (r *reader) argument(t *node, name string) carry.Path {
	if s, at := r.text(t, name); s != "" {
		return r.path(word{s, at}, "")
	}
	return ""
}

func (r *reader) plain(v *node, name string) bool {
	if v.text == "" {
		r.wrong(v.at, example(aString, name), "%s is empty", name)
		return false
	}
	if strings.ContainsFunc(v.text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.wrong(v.at, `it on one line; a pattern has \n for the end of a line, in single quotes`, "%s contains a control character", name)
		return false
	}
	return true
}

// choice returns a string that must be one of a list, the first of these if there is none.
func (r *reader) choice(t *node, name string, of ...string) string {
	s, at := r.text(t, name)
	if s == "" {
		return of[0]
	}
	if !slices.Contains(of, s) {
		r.wrong(at, oneOf(of), "%s = %q is not valid", name, s)
		return of[0]
	}
	return s
}

func (r *reader) flag(t *node, name string, without bool) bool {
	if v := r.take(t, name, aBool); v != nil {
		return v.text == "true"
	}
	return without
}

func (r *reader) count(t *node, name string) (n int, there bool) {
	v := r.take(t, name, aNumber)
	if v == nil {
		return 0, false
	}
	return r.within(v, name, 1, 1000), true
}

// within returns a number that must be in a range, the least if it is not.
func (r *reader) within(v *node, name string, least, most int) int {
	n, err := strconv.Atoi(v.text)
	if err != nil || n < least || n > most {
		r.wrong(v.at, fmt.Sprintf("a number from %d to %d", least, most), "%s = %s is out of range", name, v.text)
		return least
	}
	return n
}

type word struct {
	text string
	at   int
}

// words returns a list of strings, none of them twice.
func (r *reader) words(t *node, name string) []word {
	v := r.take(t, name, aList)
	if v == nil {
		return nil
	}
	if len(v.items) == 0 {
		r.wrong(v.at, example(aList, name), "%s is empty", name)
	}
	var out []word
	for _, item := range v.items {
		switch {
		case item.kind != aString:
			r.wrong(item.at, example(aList, name), "%s contains %s and must contain strings", name, item.kind)
		case !r.plain(item, name):
		case slices.ContainsFunc(out, func(w word) bool { return w.text == item.text }):
			r.wrong(item.at, "it only once", "%s has %q twice", name, item.text)
		default:
			out = append(out, word{item.text, item.at})
		}
	}
	return out
}

func (r *reader) list(t *node, name string) []string {
	return lists.Map(r.words(t, name), func(w word) string { return w.text })
}

func (r *reader) tables(t *node, name, header string) []*node {
	if v := t.get(name); v != nil && !v.hasTables() {
		r.wrong(v.at, header, "%s is %s and must be a list of tables", name, v.kind)
	}
	return t.tables(name)
}

func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// nearest returns the known word that is like a mistyped one, all known words if there is none.
func nearest(typed string, known []string) []string {
	for _, k := range known {
		if carry.Apart(typed, k, 2) <= 2 {
			return []string{k}
		}
	}
	return known
}

// Error is an error at one place of a rule file.
type Error struct {
	File         string
	Line, Column int    // from 1
	What         string // what is wrong
	Write        string // what to write instead
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
	if e.Write != "" {
		s += "; write " + e.Write
	}
	return s
}

// Errors holds all errors of a rule file in the order of its lines. No element is nil.
type Errors []*Error

func (e Errors) Error() string {
	return strings.Join(lists.Map(e, (*Error).Error), "\n")
}

// Err returns e as an error, nil if it is empty.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
