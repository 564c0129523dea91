package endpoint

import "strings"

// HeaderVar is an HTTP header with its value in an environment variable. The value may be a secret, and every
// user of a machine can read a command line.
type HeaderVar struct {
	Name     string
	Scheme   string // sent before the value, such as Bearer; "" = the variable holds all of it
	Variable string
}

// ParseHeader parses what [HeaderVar.String] returns. ok is false if the name or the variable is missing, or if a
// part has a blank or a control character.
func ParseHeader(word string) (h HeaderVar, ok bool) {
	name, value, _ := strings.Cut(word, "=")
	scheme, variable, two := strings.Cut(value, " ")
	if !two {
		scheme, variable = "", value
	}
	invalid := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	ok = name != "" && variable != "" && two == (scheme != "") && !invalid(name) && !invalid(scheme) && !invalid(variable)
	return HeaderVar{name, scheme, variable}, ok
}

// String returns the argument of --header-env. The variable has no $, or a shell or a harness would replace it by its value.
func (h HeaderVar) String() string {
	return h.Name + "=" + strings.TrimLeft(h.Scheme+" "+h.Variable, " ")
}
