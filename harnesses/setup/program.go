package setup

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"

	"wsi/harnesses"
)

// Check returns an error, which can be shown to a user, if a shell could misread a command line with this path and
// these server names.
func (p Program) Check(goos string) error {
	if !absolute(goos, p.Path) {
		return fmt.Errorf("the path of wsi must be absolute: %q", p.Path)
	}
	if len(p.Servers) == 0 {
		return errors.New("no server is named")
	}
	for _, s := range p.Servers {
		if strings.Contains(s, "=") {
			return fmt.Errorf("a server's name must not contain =: %q", s)
		}
	}
	if r, ok := ParseCommand(p.Command(goos, harnesses.Capture, "x")); !ok || r.Path != slashes(goos, p.Path) {
		return fmt.Errorf("wsi would not recognize its own command line: the file must be named wsi, and its path must be quotable: %s", p.Path)
	}
	for _, s := range append([]string{p.Path}, p.Servers...) {
		if s == "" || strings.ContainsFunc(s, unprintable) {
			return fmt.Errorf("a name or path must not be empty or contain control characters: %q", s)
		}
		if goos == "windows" && strings.ContainsAny(s, "\"$`%!^&|<>") {
			return fmt.Errorf("cannot quote %q for cmd, PowerShell and Git Bash alike", s)
		}
	}
	return nil
}

// unprintable includes the line separators of Unicode, which not all JSON encoders escape.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
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
