package setup

import (
	"strings"
	"unicode"

	"wsi/harnesses"
)

// Command returns the command line that runs a verb of the hook for a harness. It depends only on its
// arguments, so an upgrade does not change it: Codex drops the user's trust when one byte of it
// changes.
func (p Program) Command(goos, verb, harness string) string {
	words := []string{Quote(goos, p.Path), verb, "--harness", harness}
	for _, s := range p.Servers {
		if len(p.Servers) > 1 || s != harnesses.DefaultServer || p.As[s] != "" {
			words = append(words, "--server", Quote(goos, harnesses.ServerWord(s, p.As[s])))
		}
	}
	if p.Join {
		words = append(words, "--join")
	}
	return strings.Join(words, " ")
}

// OlderCapture returns the command line of [harnesses.Capture] that an older wsi registered to keep the ids of these servers.
func (p Program) OlderCapture(goos, harness string, kept []string) string {
	join := ""
	if p.Join {
		p.Join, join = false, " --join"
	}
	line := p.Command(goos, harnesses.Capture, harness)
	for _, s := range kept {
		line += " --handles " + Quote(goos, s)
	}
	return line + join
}

// Registered is a parsed command line of the hook.
type Registered struct {
	Path    string // of the binary
	Verb    string
	Harness string
	Servers []string
	As      map[string]string // as in Program
	Join    bool
	Kept    []string // of --handles: an older wsi kept ids of these servers, this one ignores the flag
}

// ParseCommand parses a command line that [Program.Command] of this or another version of wsi may have
// returned. ok is false for any other line.
func ParseCommand(line string) (r Registered, ok bool) {
	words, ok := split(strings.TrimPrefix(line, viaCmd))
	if !ok || len(words) < 2 {
		return Registered{}, false
	}
	if !isWsi(words[0]) {
		return Registered{}, false
	}
	r.Path, r.Verb = words[0], words[1]
	if r.Verb != harnesses.Inject && r.Verb != harnesses.Capture {
		return Registered{}, false
	}
	var servers []string
	for rest := words[2:]; len(rest) > 0; rest = rest[2:] {
		if rest[0] == "--join" && len(rest) == 1 {
			r.Join = true
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
		case "--handles":
			r.Kept = append(r.Kept, rest[1])
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

// PowerShell returns how a harness runs a command line with PowerShell: 7 where it is installed, else 5. ok is false if neither
// is.
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

// InFolder is between a command and the folder to run it in, where no single line does both.
const InFolder = ", in the folder "

// RunIn returns what a user types to run a command in a folder. On Windows it is a sentence, because PowerShell 5 has no &&.
func RunIn(goos, dir, command string) string {
	if goos == "windows" {
		return command + InFolder + dir
	}
	return "cd " + Quote(goos, dir) + " && " + command
}

// split splits a command line into words quoted as Quote does: single quotes, double quotes without escapes,
// and \' between them. ok is false for a line that a shell would expand, join or redirect.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	in := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == ' ':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
			continue
		case c == '\'' || c == '"':
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return nil, false
			}
			quoted := line[i+1 : i+1+end]
			if c == '"' && strings.ContainsAny(quoted, "$`\\") {
				return nil, false
			}
			word.WriteString(quoted)
			i += end + 1
		case c == '\\' && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte('\'')
			i++
		case strings.IndexByte("$`\\;&|<>()*?[]#~!{}\t\r\n", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
		}
		in = true
	}
	if in {
		words = append(words, word.String())
	}
	return words, true
}
