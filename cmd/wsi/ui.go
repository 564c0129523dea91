package main

// What a person sees follows these rules, here and nowhere else:
//
//   - What was asked for goes to standard output, everything else to standard error.
//   - An error is one line "error: ..." and, where there is a way out, a line "hint: ..." with the
//     exact command. No capital, no full stop.
//   - The home folder is shown as ~. Values are never shown.
//   - Nothing from outside drives the terminal: Stdout and Stderr escape it (package printable). Only screens,
//     protocols and what a program is to read byte for byte go past them (raw, exact).
//   - Nothing is asked unless both ends are a terminal.
//   - Exit status: 0 done, 1 something failed, 2 wrong usage, 3 the user said no.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/internal/printable"
	"wsi/internal/procgroup"
	"wsi/internal/state"
	"wsi/internal/tilde"
)

// env is the outside world of a command.
type env struct {
	harnesses.Env
	Stdin          io.Reader
	Stdout, Stderr io.Writer // a printable.Writer, but for tests
	Asks           bool      // both ends are a terminal: something may be asked
	Mute           string    // why nothing may be, a clause
	Screens        bool      // and it can show more than lines
	Colors         bool      // standard output is a terminal on which they are wanted
	ASCII          bool      // it shows no other characters
	StateDir       string
}

var lookPath = exec.LookPath

func newEnv() (env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return env{}, fmt.Errorf("your home folder is not known: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return env{}, fmt.Errorf("the current folder is not known: %w", err)
	}
	e := env{
		Env: harnesses.Env{
			Home: home, Cwd: cwd, GOOS: runtime.GOOS, Getenv: os.Getenv, Environ: os.Environ, ReadFile: readRegular,
			LookPath: lookPath, Resolve: filepath.EvalSymlinks, Now: time.Now,
			Stat: func(path string) (bool, error) {
				info, err := os.Stat(path)
				return err == nil && info.IsDir(), err
			},
			Output: func(ctx context.Context, name string, args ...string) ([]byte, error) {
				var out, complaint brief
				cmd := exec.CommandContext(ctx, name, args...)
				cmd.WaitDelay = time.Second // what it has started may hold its output open
				cmd.Stdout, cmd.Stderr = &out, &complaint
				procgroup.Own(cmd)
				err := cmd.Run()
				procgroup.Kill(cmd) // what it has left running
				var ended *exec.ExitError
				if errors.As(err, &ended) {
					ended.Stderr = complaint.said.Bytes()
				}
				return out.said.Bytes(), err
			},
		},
		Stdin: os.Stdin, Stdout: printable.Writer{To: os.Stdout}, Stderr: printable.Writer{To: os.Stderr},
		StateDir: state.Dir(os.Getenv, home, runtime.GOOS),
	}
	toTerminal := term.IsTerminal(int(os.Stdout.Fd()))
	switch {
	case !term.IsTerminal(int(os.Stdin.Fd())) || !toTerminal:
		e.Mute = "this is no terminal"
	case os.Getenv("CI") != "":
		e.Mute = "CI is set"
	default:
		e.Asks = true
	}
	e.ASCII = asciiOnly(os.Getenv, runtime.GOOS)
	e.Screens = e.Asks && os.Getenv("TERM") != "dumb"
	e.Colors = toTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return e, nil
}

// raw is standard output itself, for what draws screens or speaks a protocol.
func (e env) raw() io.Writer {
	if w, ok := e.Stdout.(printable.Writer); ok {
		return w.To
	}
	return e.Stdout
}

// exact is standard output for what is to be pasted, or read by a program, byte for byte. A terminal gets it
// escaped like all else.
func (e env) exact() io.Writer {
	if file, ok := e.raw().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return e.Stdout
	}
	return e.raw()
}

// asciiOnly tells whether the user's locale has no other characters. Where the variables do not say,
// as on Windows, the terminal has them.
func asciiOnly(getenv func(string) string, goos string) bool {
	if goos == "windows" || goos == "darwin" {
		return false
	}
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return locale != "" && !strings.Contains(charset, "utf8")
}

// mostOutput is more than any answer that wsi asks a program for.
const mostOutput = 1 << 20

// brief keeps a program's output until it is too long; then the program's next writing fails.
type brief struct{ said bytes.Buffer }

func (b *brief) Write(p []byte) (int, error) {
	if b.said.Len()+len(p) > mostOutput {
		return 0, errors.New("it says too much")
	}
	return b.said.Write(p)
}

// readRegular does not wait for what a pipe may never say.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	return os.ReadFile(path)
}

// tilde shows paths below the home folder with ~.
func (e env) tilde(s string) string {
	return tilde.Shorten(s, e.Home, string(filepath.Separator))
}

// path shows a path as part of one line.
func (e env) path(s string) string { return printable.Line(e.tilde(s)) }

// saidNo is the exit status when the user did not agree.
const saidNo = 3

// failure is an error with the exit status it leads to, and perhaps a way out.
type failure struct {
	err  error
	hint string
	exit int
}

func (f failure) Error() string { return f.err.Error() }

func (f failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) error {
	return failure{err: fmt.Errorf(format, args...), hint: hint, exit: 2}
}

var errShown = errors.New("shown already")

// errReported ends a command whose failures have been shown already.
var errReported = failure{err: errShown, exit: 1}

// report shows an error once and returns the exit status.
func (e env) report(err error) int {
	var f failure
	if err == nil {
		return 0
	}
	if !errors.As(err, &f) {
		f = failure{err: err, exit: 1}
		var r installer.Refusal
		if errors.As(err, &r) {
			f.hint = r.Hint
		}
	}
	switch {
	case errors.Is(err, errShown):
	case f.exit == saidNo: // a choice is no error
		fmt.Fprintln(e.Stderr, f.err)
	default:
		e.complain(err, f.hint)
	}
	return f.exit
}

// complain prints an error that does not end the command.
func (e env) complain(err error, hint string) {
	fmt.Fprintf(e.Stderr, "error: %s\n", e.tilde(oneLine(err.Error())))
	if hint != "" {
		fmt.Fprintf(e.Stderr, "hint: %s\n", e.tilde(oneLine(hint)))
	}
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// confirm asks a question that only y or yes answers with yes.
func (e env) confirm(question string) (bool, error) {
	fmt.Fprintf(e.Stdout, "%s [y/N] ", question)
	var line []byte
	for one := make([]byte, 1); ; {
		n, err := e.Stdin.Read(one)
		if n == 1 && one[0] != '\n' {
			line = append(line, one[0])
			continue
		}
		if n == 0 && err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if n == 1 || err != nil {
			break
		}
	}
	answer := strings.ToLower(strings.TrimSpace(string(line)))
	return answer == "y" || answer == "yes", nil
}
