package harnesses

import (
	"strings"
)

// Relay is the verb of wsi in front of an MCP server, as it stands in the server's registration.
const Relay = "relay"

// Front is wsi in front of an MCP server: what a harness starts in the server's place.
type Front struct {
	Path    string // of wsi, absolute
	Server  string // the name under which the server is registered
	Harness string // id
	State   string // the folder of wsi's state: Codex 0.169.0 hides the variables that would tell it
	URL     string // of a server over HTTP; "" if its own command line follows
	Headers []HeaderVar
	More    []string // flags that only its user writes, --schema and --rules, each with its value
}

// HeaderVar is an HTTP header whose value is in a variable: it may be a secret, and every user of a
// machine can read a command line.
type HeaderVar struct{ Name, Variable string }

// Words is the command line, without the server's own one, which comes right behind it.
func (f Front) Words() []string {
	words := []string{f.Path, Relay, "--server", f.Server, "--harness", f.Harness, "--state", f.State}
	words = append(words, f.More...)
	if f.URL == "" {
		return append(words, "--")
	}
	words = append(words, "--url", f.URL)
	for _, h := range f.Headers {
		words = append(words, "--header-env", h.Name+"="+h.Variable)
	}
	return words
}

// Before is the command line with another server behind it, on stdio.
func (f Front) Before(command []string) []string {
	f.URL, f.Headers = "", nil
	return append(f.Words(), command...)
}

// ParseFront reads a command line that Words may have begun, by this or another version of wsi. own is
// where the server's own begins, len(words) if it has none. ok is false for everything else.
func ParseFront(words []string) (f Front, own int, ok bool) {
	if len(words) < 4 || words[1] != Relay || !isWsi(words[0]) {
		return Front{}, 0, false
	}
	f.Path = words[0]
	for i := 2; i < len(words); i += 2 {
		if words[i] == "--" {
			return f, i + 1, f.Server != "" && f.URL == "" && i+1 < len(words)
		}
		if i+1 == len(words) {
			return Front{}, 0, false
		}
		switch value := words[i+1]; words[i] {
		case "--server":
			f.Server = value
		case "--harness":
			f.Harness = value
		case "--state":
			f.State = value
		case "--schema", "--rules":
			f.More = append(f.More, words[i], value)
		case "--url":
			f.URL = value
		case "--header-env":
			name, variable, _ := strings.Cut(value, "=")
			f.Headers = append(f.Headers, HeaderVar{name, variable})
		default:
			return Front{}, 0, false
		}
	}
	return f, len(words), f.Server != "" && f.URL != ""
}

// isWsi tells whether a program is wsi by its name.
func isWsi(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	return base == "wsi" || strings.EqualFold(base, "wsi.exe")
}
