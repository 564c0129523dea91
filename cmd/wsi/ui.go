package main

// All output of commands follows these rules:
//
//   - The result goes to standard output, everything else to standard error.
//   - An error is one line "error: ..." and, if the user can do something, a line "hint: ..." with
//     the exact command. No capital, no full stop.
//   - The home folder is shown as ~. Values are never shown.
//   - Stdout and Stderr escape control characters (tui.Writer). Only screens, protocols and
//     output that must be exact bytes bypass them (raw, exact).
//   - wsi asks questions only if standard input and output are terminals.
//   - Exit status: 0 done, 1 something failed, 2 wrong usage, 3 the user declined.

import (
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

	"wsi/doctor"
	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inquiry"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/owner"
	"wsi/internal/phrase"
	"wsi/internal/printable"
	"wsi/internal/state"
	"wsi/internal/stdiorpc"
	"wsi/internal/tui"
)

// env is what a command reads from and writes to.
type env struct {
	setup.Env
	Stdin          io.Reader
	Stdout, Stderr io.Writer // each a tui.Writer, except in tests
	Interactive    bool      // standard input and output are terminals, and CI is not set
	NotInteractive string    // why not, a clause
	Screens        bool      // the terminal can also show full screens
	Colors         bool      // standard output is a terminal that shows colors
	ASCII          bool      // the terminal shows only ASCII
	StateDir       string
}

var lookPath = exec.LookPath

func newEnv() (env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return env{Stderr: tui.Writer{To: os.Stderr}}, failed("set it to your home folder", "cannot find your home folder: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return env{Stderr: tui.Writer{To: os.Stderr}}, failed("run wsi in a folder that exists", "cannot find the current folder: %w", err)
	}
	e := env{
		Env: setup.Env{
			Home: home, Cwd: cwd, GOOS: runtime.GOOS, Getenv: os.Getenv, Environ: os.Environ, ReadFile: files.Config, ReadDir: namesIn,
			LookPath: lookPath, Resolve: filepath.EvalSymlinks, Now: time.Now,
			Stat: func(path string) (bool, error) {
				info, err := os.Stat(path)
				return err == nil && info.IsDir(), err
			},
			Output: func(ctx context.Context, name string, args ...string) ([]byte, error) {
				return stdiorpc.Run(ctx, stdiorpc.Program{Path: name, Args: args, Env: os.Environ()})
			},
		},
		Stdin: os.Stdin, Stdout: tui.Writer{To: os.Stdout}, Stderr: tui.Writer{To: os.Stderr},
		StateDir: state.Dir(os.Getenv, home, runtime.GOOS),
	}
	e.Scratch = doctor.Scratch
	toTerminal := onTerminal(os.Stdout)
	switch {
	case !term.IsTerminal(int(os.Stdin.Fd())) || !toTerminal:
		e.NotInteractive = "not a terminal"
	case os.Getenv("CI") != "":
		e.NotInteractive = "CI is set"
	default:
		e.Interactive = true
	}
	e.ASCII = asciiOnly(os.Getenv, runtime.GOOS)
	e.Screens = e.Interactive && os.Getenv("TERM") != "dumb"
	e.Colors = toTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return e, nil
}

// asking returns the environment for a command that has harnesses' programs read their settings files, or that only knows what
// they said before.
func (e env) asking(may bool) env {
	answers := &inquiry.Answers{StateDir: e.StateDir, May: may}
	e.Patience = cmp.Or(e.Patience, &setup.Patience{})
	if w, ok := e.Stderr.(tui.Writer); ok && onTerminal(w.To) {
		e.Patience.Tell = func(name string) { fmt.Fprintf(e.Stderr, "waiting for %s to answer\n", name) }
	}
	e.Asked, e.Starts, e.Plugins = answers.Asked, answers.Starts, answers.Plugins
	return e
}

// raw returns standard output without escaping, for screens and protocols.
func (e env) raw() io.Writer {
	if w, ok := e.Stdout.(tui.Writer); ok {
		return w.To
	}
	return e.Stdout
}

// exact returns standard output for text that the user pastes or a program reads. It escapes only on a terminal.
func (e env) exact() io.Writer {
	if onTerminal(e.raw()) {
		return e.Stdout
	}
	return e.raw()
}

func onTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// asciiOnly reports whether the user wants only ASCII, or the locale has no more. If no variable is set, it has more.
func asciiOnly(getenv func(string) string, goos string) bool {
	if getenv("WSI_ASCII") != "" {
		return true
	}
	if goos == "windows" || goos == "darwin" {
		return false
	}
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return locale != "" && !strings.Contains(charset, "utf8")
}

// abs returns a path that the user gave as an absolute one.
func (e env) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Cwd, path)
}

func (e env) tilde(s string) string {
	return phrase.Shorten(s, e.Home, string(filepath.Separator))
}

// path returns a path as it is shown within one line.
func (e env) path(s string) string { return printable.Line(e.tilde(s)) }

// exitDeclined is the exit status if the user declined.
const exitDeclined = 3

// failure is an error with its exit status. hint says what the user can do; it may be empty.
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

func failed(hint, format string, args ...any) error {
	return failure{err: fmt.Errorf(format, args...), hint: hint, exit: 1}
}

var errShown = errors.New("already shown")

// errReported ends a command that has already shown its failures.
var errReported = failure{err: errShown, exit: 1}

// report prints an error, unless it was already shown, and returns the exit status.
func (e env) report(err error) int {
	var f failure
	if err == nil {
		return 0
	}
	if !errors.As(err, &f) {
		f = failure{err: err, exit: 1}
		if r, ok := errors.AsType[refusal.Error](err); ok {
			f.hint = r.ToDo().String()
		}
	}
	switch {
	case errors.Is(err, errShown):
	case f.exit == exitDeclined: // not an error
		fmt.Fprintln(e.Stderr, f.err)
	default:
		e.printError(err, f.hint)
	}
	return f.exit
}

func (e env) printError(err error, hint string) {
	fmt.Fprintf(e.Stderr, "error: %s\n", e.tilde(phrase.OneLine(err.Error())))
	if hint != "" {
		fmt.Fprintf(e.Stderr, "hint: %s\n", e.tilde(phrase.OneLine(hint)))
	}
}

func namesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	return lists.Map(entries, fs.DirEntry.Name), err
}

// mayWrite returns an error if root runs a command that writes into another user's folders. With sudo the home
// folder often stays the user's, and the user can neither read nor change files that root creates there.
func (e env) mayWrite(command string, paths ...string) error {
	for _, path := range paths {
		var a owner.Another
		if err := owner.Check(path); errors.As(err, &a) {
			hint := "run it as " + a.User + ": sudo -u " + a.User + " wsi " + command
			if e.Getenv("SUDO_USER") == a.User {
				hint = "run it as " + a.User + ", without sudo: wsi " + command
			}
			return failure{err: err, hint: hint, exit: 1}
		}
	}
	return nil
}
