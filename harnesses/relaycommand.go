package harnesses

import (
	"strings"
)

// Relay is the verb of wsi in front of an MCP server, as it stands in the server's registration.
const Relay = "relay"

// RelayCommand is wsi in front of an MCP server: what a harness starts in the server's place.
type RelayCommand struct {
	Path    string // of wsi, absolute
	Server  string // the name under which the server is registered
	As      string // whose rules it has, as in Program; "" for those of its own name
	Harness string // id
	State   string // the folder of wsi's state: Codex 0.169.0 hides the variables that would tell it
	Rules   string // the rule file, likewise; "" where it is found without a variable
	Schema  string // how a model is asked for the value, as somebody who wrote it there wants it; "" = as usual
	URL     string // of a server over HTTP; "" if its own command line follows
	Headers []HeaderVar
}

// HeaderVar is an HTTP header whose value is in a variable: it may be a secret, and every user of a
// machine can read a command line.
type HeaderVar struct {
	Name     string
	Scheme   string // sent before the value, such as Bearer; "": the variable holds all of it
	Variable string
}

// ParseHeader reads what String writes. ok is false if it has no name or no variable, or a blank or a control
// character where none can be.
func ParseHeader(word string) (h HeaderVar, ok bool) {
	name, value, _ := strings.Cut(word, "=")
	scheme, variable, two := strings.Cut(value, " ")
	if !two {
		scheme, variable = "", value
	}
	odd := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	ok = name != "" && variable != "" && two == (scheme != "") && !odd(name) && !odd(scheme) && !odd(variable)
	return HeaderVar{name, scheme, variable}, ok
}

// String is the header as --header-env takes it. There is no $ before the variable: a shell or a harness would
// put the value in its place.
func (h HeaderVar) String() string {
	return h.Name + "=" + strings.TrimLeft(h.Scheme+" "+h.Variable, " ")
}

// Words is the command line, without the server's own one, which comes right behind it.
func (f RelayCommand) Words() []string {
	words := []string{f.Path, Relay, "--server", ServerWord(f.Server, f.As), "--harness", f.Harness, "--state", f.State}
	if f.Rules != "" {
		words = append(words, "--rules", f.Rules)
	}
	if f.Schema != "" {
		words = append(words, "--schema", f.Schema)
	}
	if f.URL == "" {
		return append(words, "--")
	}
	words = append(words, "--url", f.URL)
	for _, h := range f.Headers {
		words = append(words, "--header-env", h.String())
	}
	return words
}

// Before is the command line with another server behind it, on stdio.
func (f RelayCommand) Before(command []string) []string {
	f.URL, f.Headers = "", nil
	return append(f.Words(), command...)
}

// ParseFront reads a command line that Words may have begun, by this or another version of wsi, or that
// somebody wrote by hand: all that wsi relay would take. own is where the server's own begins, len(words)
// if it has none. ok is false for everything else.
func ParseFront(words []string) (f RelayCommand, own int, ok bool) {
	if len(words) < 3 || words[1] != Relay || !isWsi(words[0]) {
		return RelayCommand{}, 0, false
	}
	f.Path = words[0]
	var header string
	flags := map[string]*string{
		"--server": &f.Server, "--harness": &f.Harness, "--state": &f.State, "--rules": &f.Rules, "--schema": &f.Schema,
		"--url": &f.URL, "--header-env": &header,
	}
	for own = 2; own < len(words) && words[own] != "--"; own++ {
		name, value, joined := strings.Cut(words[own], "=")
		into := flags[name]
		if into == nil || !joined && own+1 == len(words) {
			return RelayCommand{}, 0, false
		}
		if !joined {
			own++
			value = words[own]
		}
		*into = value
		if into == &header {
			h, _ := ParseHeader(value) // what wsi relay would refuse is wsi's line all the same
			f.Headers = append(f.Headers, h)
		}
	}
	f.Server, f.As = ParseServer(f.Server)
	own = min(own+1, len(words)) // behind the --
	return f, own, f.Server != "" && (f.URL == "") == (own < len(words))
}

// Stands tells whether what is in front of a server is what should be; want may be missing what was added by
// hand.
func (f RelayCommand) Stands(want RelayCommand) bool {
	want = want.Keeping(f)
	return want.Path == f.Path && want.Server == f.Server && want.As == f.As && want.Harness == f.Harness && want.State == f.State && want.Rules == f.Rules
}

// Keeping returns f with what was added by hand to the one that stands in its place: how a model is asked,
// and a rule file that is not where wsi looks for its own.
func (f RelayCommand) Keeping(is RelayCommand) RelayCommand {
	f.Schema = is.Schema
	ofWsi := strings.HasSuffix(strings.ReplaceAll(is.Rules, `\`, "/"), "/wsi/rules.toml")
	if is.Rules != "" && (f.Rules == "" || !ofWsi) {
		f.Rules = is.Rules
	}
	return f
}

// isWsi tells whether a program is wsi by its name.
func isWsi(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	return base == "wsi" || strings.EqualFold(base, "wsi.exe")
}
