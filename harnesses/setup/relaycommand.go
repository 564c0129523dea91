package setup

import (
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
	"wsi/internal/endpoint"
)

// RelayCommand is the command line that a harness starts instead of an MCP server.
type RelayCommand struct {
	Path    string // of wsi, absolute
	Server  string // the name under which the server is registered
	As      string // the server that has its rules, as in [Program]; "" = its own name
	Harness string // id
	State   string // wsi's state folder: Codex 0.169.0 removes the variables that name it
	Rules   string // the rule file, for the same reason; "" = the default one
	Schema  string // how a model is asked for the value, if a user added it; "" = the default
	Content string // in which form the client gets results, if a user added it; "" = the default
	URL     string // of a server over HTTP; "" if the server's own command line follows
	Headers []endpoint.HeaderVar
	Life    []string // the flags on the server's end and start, if a user added them: --no-restart, --reload-on-change FILE
}

// Words returns the command line without the server's own one, which follows it.
func (f RelayCommand) Words() []string {
	words := []string{f.Path, harnesses.Relay, "--server", harnesses.ServerWord(f.Server, f.As), "--harness", f.Harness, "--state", f.State}
	for _, flag := range [][]string{{"--rules", f.Rules}, {"--schema", f.Schema}, {"--content", f.Content}} {
		if flag[1] != "" {
			words = append(words, flag...)
		}
	}
	if words = append(words, f.Life...); f.URL == "" {
		return append(words, "--")
	}
	words = append(words, "--url", f.URL)
	for _, h := range f.Headers {
		words = append(words, "--header-env", h.String())
	}
	return words
}

// Before returns the command line in front of another server, on stdio.
func (f RelayCommand) Before(command []string) []string {
	f.URL, f.Headers, f.Life = "", nil, nil
	return append(f.Words(), command...)
}

// ParseRelayCommand parses a command line that starts with [RelayCommand.Words] of this or another version of wsi, or that
// a user wrote by hand: any that wsi relay accepts. own is where the server's own command line begins,
// len(words) if it has none. ok is false for any other command line.
func ParseRelayCommand(words []string) (f RelayCommand, own int, ok bool) {
	if len(words) < 3 || words[1] != harnesses.Relay || !IsWsi(words[0]) {
		return RelayCommand{}, 0, false
	}
	f, own, err := parseRelay(words[2:], false)
	if err != nil {
		return RelayCommand{}, 0, false
	}
	f.Path = words[0]
	own += 2
	return f, own, f.Server != "" && (f.URL == "") == (own < len(words))
}

// ErrHelp is the error of [ParseRelay] for --help and -h.
var ErrHelp = errors.New("help requested")

// ParseRelay parses the arguments of wsi relay. own is where the server's own command line begins, len(args) if it has
// none. The error is about the arguments, or is [ErrHelp].
func ParseRelay(args []string) (f RelayCommand, own int, err error) { return parseRelay(args, true) }

// parseRelay accepts an invalid header unless strict is true: setup recognizes such a line, wsi relay refuses it.
func parseRelay(args []string, strict bool) (f RelayCommand, own int, err error) {
	var server, header, life string
	flags := map[string]*string{
		"--server": &server, "--harness": &f.Harness, "--state": &f.State, "--rules": &f.Rules, "--schema": &f.Schema, "--content": &f.Content,
		"--url": &f.URL, "--header-env": &header, "--reload-on-change": &life,
	}
	for ; own < len(args) && args[own] != "--"; own++ {
		name, value, joined := strings.Cut(args[own], "=")
		into := flags[name]
		switch {
		case name == "--help" || name == "-h":
			return f, own, ErrHelp
		case args[own] == "--join": // it is in files that an older wsi wrote
			continue
		case args[own] == "--no-restart":
			f.Life = append(f.Life, name)
			continue
		case into == nil && !strings.HasPrefix(name, "-"): // it may be a secret
			return f, own, errors.New("unexpected word; the server's command goes after --")
		case into == nil:
			return f, own, fmt.Errorf("unexpected %s; the server's command goes after --", name)
		case !joined && own+1 == len(args):
			return f, own, fmt.Errorf("%s needs a value", name)
		case !joined:
			own++
			value = args[own]
		}
		if *into = value; into == &life {
			f.Life = append(f.Life, name, value)
		}
		if into == &header {
			h, ok := endpoint.ParseHeader(value)
			if strict && !ok {
				return f, own, errors.New("--header-env takes HEADER=VARIABLE, with an environment variable that holds the header's value, or 'HEADER=Bearer VARIABLE' if it holds only the token")
			}
			f.Headers = append(f.Headers, h)
		}
	}
	f.Server, f.As = harnesses.ParseServer(server)
	return f, min(own+1, len(args)), nil // after the --
}

// Stands reports whether f is what setup would write. It may have what [RelayCommand.Keeping] keeps.
func (f RelayCommand) Stands(want RelayCommand) bool {
	want = want.Keeping(f)
	return want.Path == f.Path && want.Server == f.Server && want.As == f.As && want.Harness == f.Harness && want.State == f.State && want.Rules == f.Rules
}

// Keeping returns f with what a user added by hand to the registered command: how a model is asked, when the server ends, and
// a rule file at another place than the default one.
func (f RelayCommand) Keeping(registered RelayCommand) RelayCommand {
	f.Schema, f.Life = registered.Schema, registered.Life
	byDefault := strings.HasSuffix(strings.ReplaceAll(registered.Rules, `\`, "/"), "/wsi/rules.toml")
	if registered.Rules != "" && (f.Rules == "" || !byDefault) {
		f.Rules = registered.Rules
	}
	return f
}

// IsWsi reports whether the file name of a program is that of wsi.
func IsWsi(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	return base == "wsi" || strings.EqualFold(base, "wsi.exe")
}
