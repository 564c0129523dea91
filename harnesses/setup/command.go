package setup

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"wsi/harnesses"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Command returns the command line that runs a verb of the hook for a harness. It depends only on its arguments, so an upgrade does
// not change it: Codex drops the user's trust when one byte of it changes.
func (p Program) Command(goos, verb, harness string) string {
	if len(p.Servers) == 1 && p.Servers[0] == harnesses.DefaultServer && p.As[p.Servers[0]] == "" {
		p.Servers = nil
	}
	words := lists.Map(p.Words(verb, harness), func(word string) string { return Quote(goos, word) })
	return strings.Join(words, " ")
}

// Words returns the words of a command line that names all servers.
func (p Program) Words(verb, harness string) []string {
	words := []string{p.Path, verb, "--harness", harness}
	for _, s := range p.Servers {
		words = append(words, "--server", harnesses.ServerWord(s, p.As[s]))
	}
	if p.Relay {
		words = append(words, "--relay")
	}
	return words
}

// Registered is a parsed command line of the hook.
type Registered struct {
	Program
	Verb, Harness string
}

// ParseCommand parses a command line that [Program.Command] of this or another version of wsi may have
// returned. ok is false for any other line.
func ParseCommand(line string) (r Registered, ok bool) {
	words, ok := Words(strings.TrimPrefix(line, viaCmd), nil)
	if !ok || len(words) < 2 || !IsWsi(words[0]) || words[1] != harnesses.Inject && words[1] != harnesses.Capture {
		return Registered{}, false
	}
	r.Path, r.Verb = words[0], words[1]
	var servers []string
	for rest := words[2:]; len(rest) > 0; rest = rest[2:] {
		if (rest[0] == "--relay" || rest[0] == "--join") && len(rest) == 1 { // the latter is in files that an older wsi wrote
			r.Relay = true
			break
		}
		if len(rest) < 2 {
			return Registered{}, false
		}
		switch rest[0] {
		case "--harness":
			r.Harness = rest[1]
		case "--server":
			servers = append(servers, rest[1])
		default:
			return Registered{}, false
		}
	}
	if r.Servers, r.As = harnesses.ParseServers(servers); len(servers) == 0 {
		r.Servers = []string{harnesses.DefaultServer}
	}
	return r, r.Harness != ""
}

// viaCmd starts a program whose path must be quoted. PowerShell takes a quoted first word for a text and does not run it; its
// own operator & means something else to cmd. Git Bash would turn /d into a path.
const viaCmd = "cmd /d /c call "

// ForPowerShell returns a command line, whose program is quoted as [Quote] does, for PowerShell and cmd on Windows.
func ForPowerShell(goos, command string) string {
	if goos == "windows" && strings.HasPrefix(command, `"`) {
		return viaCmd + command
	}
	return command
}

// PowerShell returns how a harness runs a command line with PowerShell: 7 where it is installed, else 5. ok is false if neither is.
func PowerShell(env Env, command string) (argv []string, ok bool) {
	for _, name := range []string{"pwsh", "powershell"} {
		if path, err := env.LookPath(name); err == nil {
			return []string{path, "-NoProfile", "-Command", command}, true
		}
	}
	return nil, false
}

const unquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+"

// Quote quotes s as one word for sh or, on Windows, for Git Bash, PowerShell and cmd. There it turns backslashes
// into slashes, which Windows accepts. No path that can do without quotes gets them, since PowerShell runs no quoted
// program: letters of other alphabets need none, but a comma separates words in PowerShell.
func Quote(goos, s string) string {
	if goos == "windows" {
		s = strings.ReplaceAll(s, `\`, "/")
		if s != "" && strings.TrimFunc(s, func(r rune) bool { return strings.ContainsRune(unquoted+":", r) || unicode.IsLetter(r) }) == "" {
			return s
		}
		return `"` + s + `"`
	}
	if strings.Trim(s, unquoted+",@%") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// MoveAway returns a command that gives a file or folder another name.
func MoveAway(goos, path string) string {
	command := "mv "
	if goos == "windows" {
		command = "move "
	}
	return command + Quote(goos, path) + " " + Quote(goos, path+".away")
}

// RunIn returns how to run a command in a folder. On Windows that is in words, because PowerShell 5 has no &&.
func RunIn(goos, dir, command string) phrase.Fix {
	if goos == "windows" {
		return phrase.Fix{Text: "in the folder " + dir, Command: command}
	}
	return phrase.Fix{Command: "cd " + Quote(goos, dir) + " && " + command}
}

// variable matches one in a command line.
var variable = sync.OnceValue(func() *regexp.Regexp { // not before main: the hook would pay for it
	return regexp.MustCompile(`^\$(?:\{(\w+)\}|([A-Za-z_]\w*))`)
})

// Words returns the words of a command line of a POSIX shell that has only words, quotes without escapes, \' between them, ~/ and
// variables with a known value. ok is false for a line that the shell would expand, join or redirect in another way. Without vars,
// which has HOME, it knows neither ~/ nor variables; with it, not what single quotes do: some harnesses replace variables before the
// shell does.
func Words(line string, vars map[string]string) (all []string, ok bool) {
	var word strings.Builder
	quote, within := byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote == 0 && (c == ' ' || c == '\t'):
			if within {
				all = append(all, word.String())
			}
			word.Reset()
			within = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && quote == c:
			quote = 0
		case quote == 0 && strings.HasPrefix(line[i:], `\'`):
			word.WriteByte('\'')
			i++
		case quote == 0 && c == '~' && !within && vars != nil && strings.IndexByte(" /", (line + " ")[i+1]) >= 0:
			word.WriteString(vars["HOME"])
		case c == '$' && quote != '\'' && vars != nil:
			at := variable().FindStringSubmatch(line[i:])
			if at == nil {
				return nil, false
			}
			value := vars[at[1]+at[2]]
			if value == "" || quote == 0 && strings.ContainsAny(value, " \t\n*?[") {
				return nil, false
			}
			word.WriteString(value)
			i += len(at[0]) - 1
		case quote != '\'' && strings.IndexByte("$`\\", c) >= 0, quote == 0 && strings.IndexByte(";&|<>()*?[]{}~#!\n\r", c) >= 0, c == '$' && vars != nil:
			return nil, false
		default:
			word.WriteByte(c)
		}
		within = true
	}
	if within {
		all = append(all, word.String())
	}
	return all, quote == 0
}

// others are the commands of wsi with --harness that are not hooks. A user may have registered one of them.
var others = []string{"doctor", "hooks", "log", harnesses.Relay, "remove", "setup", "snippet", "status"}

// Damaged reports whether a command line was one of wsi's hooks for a harness before it was edited: its verb, a flag or
// a quote is wrong. It is false for other commands of wsi, and for a line in which a shell combines commands.
func Damaged(line, harness string) bool {
	if _, ok := ParseCommand(line); ok || harness == "" {
		return false
	}
	words, ok := Words(strings.TrimPrefix(line, viaCmd), nil)
	if !ok {
		words, ok = unclosed(line)
	}
	if !ok || len(words) < 2 || !IsWsi(words[0]) || slices.Contains(others, words[1]) {
		return false
	}
	_, value, flag := strings.Cut(strings.Join(words[1:], " "), "--harness")
	value = strings.TrimLeft(value, " =")
	if flag {
		return value == "" || value[0] == '-' || strings.Contains(value, harness)
	}
	at := slices.Index(words, harness)
	return at > 1 && words[at-1] != "--server" && (words[1] == harnesses.Inject || words[1] == harnesses.Capture)
}

// RunsHook reports whether a command line, whose program is given, seems to run one of wsi's hooks, in any form. Other programs are
// named wsi, too.
func RunsHook(program, line string) bool {
	return IsWsi(program) && slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return word == harnesses.Inject || word == harnesses.Capture
	})
}

// unclosed splits a command line in which a quote is not closed, as if it had no quotes. A path with spaces is one word.
func unclosed(line string) (words []string, ok bool) {
	if strings.Count(line, "'")%2 == 0 && strings.Count(line, `"`)%2 == 0 {
		return nil, false
	}
	words, ok = Words(strings.NewReplacer("'", "", `"`, "").Replace(line), nil)
	if at := slices.IndexFunc(words, IsWsi); ok && at > 0 && strings.HasPrefix(strings.TrimLeft(line, `'"`), words[0]) {
		words = append([]string{strings.Join(words[:at+1], " ")}, words[at+1:]...)
	}
	return words, ok
}

// Check returns an error, which can be shown to a user, if a shell could misread a command line with this path and
// these server names.
func (p Program) Check(goos string) error {
	if !absolute(goos, p.Path) {
		return fmt.Errorf("the path of wsi must be absolute: %q", p.Path)
	}
	if len(p.Servers) == 0 {
		return errors.New("wsi needs the name of at least one server")
	}
	for _, s := range p.Servers {
		if strings.Contains(s, "=") {
			return fmt.Errorf("a server's name must not contain =: %q", s)
		}
	}
	if r, ok := ParseCommand(p.Command(goos, harnesses.Capture, "x")); !ok || r.Path != slashes(goos, p.Path) {
		return fmt.Errorf("the program must be a file named wsi, with a path that each shell can quote: %s", p.Path)
	}
	for _, s := range append([]string{p.Path}, p.Servers...) {
		// The line separators of Unicode are not escaped by all JSON encoders.
		if s == "" || strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsAny(s, "\u2028\u2029") {
			return fmt.Errorf("a name or path must not be empty or contain control characters: %q", s)
		}
		if goos == "windows" && strings.ContainsAny(s, "\"$`%!^&|<>") {
			return fmt.Errorf("cannot quote %q for cmd, PowerShell and Git Bash alike", s)
		}
	}
	return nil
}

func absolute(goos, p string) bool {
	if goos == "windows" {
		p = slashes(goos, p)
		return len(p) > 2 && p[1] == ':' && p[2] == '/' || strings.HasPrefix(p, "//")
	}
	return path.IsAbs(p)
}

func slashes(goos, p string) string {
	if goos == "windows" {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}
