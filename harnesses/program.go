package harnesses

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Check tells why a command line with this path and these server names could mean something else
// to a shell than what was intended. What it returns is fit to be shown.
func (p Program) Check(goos string) error {
	if !absolute(goos, p.Path) {
		return fmt.Errorf("the path of wsi must be absolute to be found from everywhere: %q", p.Path)
	}
	if len(p.Servers) == 0 {
		return errors.New("no server was named")
	}
	for _, s := range p.Servers {
		if strings.Contains(s, "=") {
			return fmt.Errorf("a server's name cannot have a = in it on a command line: %q", s)
		}
	}
	if r, ok := ParseCommand(p.Command(goos, Inject, "x")); !ok || r.Path != slashes(goos, p.Path) {
		return fmt.Errorf("wsi would not know its own command line again: its file must be named wsi and its path must be quotable: %s", p.Path)
	}
	for _, s := range append([]string{p.Path}, p.Servers...) {
		if s == "" || strings.ContainsFunc(s, unprintable) {
			return fmt.Errorf("a control character or nothing at all cannot stand on a command line: %q", s)
		}
		if goos == "windows" && strings.ContainsAny(s, "\"$`%!^&|<>") {
			return fmt.Errorf("no quoting of %q means the same to cmd, PowerShell and Git Bash", s)
		}
	}
	return nil
}

// unprintable includes the line separators of Unicode, which JSON encoders do not agree about.
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
