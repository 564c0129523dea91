package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed dll/prng.c
var prng []byte

// tools are the programs that this one needs, besides Go.
type tools struct{ wine, server, compiler string }

func findTools() (t tools, err error) {
	t.wine, t.server = first("wine64", "/usr/lib/wine/wine64", "wine"), first("wineserver64", "/usr/lib/wine/wineserver64", "wineserver")
	t.compiler = first("x86_64-w64-mingw32-gcc")
	if t.wine == "" || t.server == "" || t.compiler == "" {
		return t, errors.New("no Wine, or no compiler for Windows: apt-get install --no-install-recommends wine64 gcc-mingw-w64-x86-64")
	}
	return t, nil
}

// first returns the path of the first of these programs that there is. Debian's wine64 is not on the PATH.
func first(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// wine is a Wine prefix: a folder with a registry and a drive C.
type wine struct {
	tools

	dir string // .cache/wine
	env []string
}

// temp is where the tests make their homes: a path with a space and umlauts, as a user's name may have.
const temp = `C:\users\Jörg Groß\Temp`

// settings are set in the registry of a new prefix: key, name and value. A look for a program that is not there asks for a file
// of every extension in every folder, and for each Wine reads a whole folder, so both lists are shorter than those of Windows.
// Wine's powershell.exe, which does nothing and reports success, is not found so: harnesses that prefer PowerShell take cmd.
var settings = [][3]string{
	{`HKCU\Environment`, "TEMP", temp},
	{`HKCU\Environment`, "TMP", temp},
	{`HKLM\System\CurrentControlSet\Control\Session Manager\Environment`, "PATHEXT", ".EXE;.CMD"},
	{`HKLM\System\CurrentControlSet\Control\Session Manager\Environment`, "PATH", `C:\windows\system32`},
}

// newWine makes the prefix, if it does not exist yet, and what the tests need in it.
func newWine(ctx context.Context, t tools) (*wine, error) {
	dir, err := filepath.Abs(filepath.Join(".cache", "wine"))
	if err != nil {
		return nil, err
	}
	w := &wine{tools: t, dir: dir}
	w.env = append(os.Environ(), "WINEPREFIX="+w.path("prefix"), "WINEARCH=win64", "WINEDEBUG=-all", "LC_ALL=C.UTF-8")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	version, err := w.output(ctx, "", t.wine, "--version")
	if err != nil {
		return nil, err
	}
	made := fmt.Sprintf("%s%q\n%s", version, settings, prng)
	if was, err := os.ReadFile(w.path("made")); err == nil && string(was) == made {
		return w, w.start(ctx)
	}
	fmt.Println("making a Wine prefix in", w.path("prefix"))
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	if err := os.WriteFile(w.path("made"), []byte(made), 0o600); err != nil {
		return nil, err
	}
	return w, w.start(ctx)
}

// start starts what all programs in the prefix share: Wine's server, which stays for ten minutes after the last of them, and
// the services of Windows. They keep the standard error of the program that starts them. If a test started them, go test would
// wait for its output to end until all tests have ended, and fail.
func (w *wine) start(ctx context.Context) error {
	w.end() // one of before does not stay as long
	for _, command := range [][]string{{w.server, "-w"}, {w.server, "-p600"}, {w.wine, "cmd.exe", "/c", "exit"}} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = w.env
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
	}
	return nil
}

func (w *wine) path(name ...string) string { return filepath.Join(append([]string{w.dir}, name...)...) }

func (w *wine) make(ctx context.Context) error {
	if err := os.RemoveAll(w.path("prefix")); err != nil {
		return err
	}
	// wineboot prints an error about 32-bit programs, which are not installed.
	if _, err := w.output(ctx, "", w.wine, "wineboot.exe", "--init"); err != nil {
		return err
	}
	source := w.path("prng.c")
	if err := os.WriteFile(source, prng, 0o600); err != nil {
		return err
	}
	library := w.path("prefix", "drive_c", "windows", "system32", "bcryptprimitives.dll")
	commands := [][]string{
		{w.compiler, "-shared", "-s", "-Os", "-o", library, source, "-ladvapi32"},
		{w.wine, "winecfg.exe", "-v", "win10"},
		{w.wine, "cmd.exe", "/c", "mkdir", temp},
	}
	for _, s := range settings {
		commands = append(commands, []string{w.wine, "reg.exe", "add", s[0], "/v", s[1], "/d", s[2], "/f"})
	}
	for _, command := range commands {
		if _, err := w.output(ctx, "", command...); err != nil {
			return err
		}
	}
	return nil
}

// end ends the programs that still run in the prefix.
func (w *wine) end() {
	_, _ = w.output(context.Background(), "", w.server, "-k") // there may be none
}

// buildPrograms builds wsi.exe as it is released, which must start, and a server for the tests.
func (w *wine) buildPrograms(ctx context.Context) error {
	program := w.path("programs", "wsi.exe")
	for to, source := range map[string]string{program: "./cmd/wsi", w.path("programs", "refserver.exe"): "./internal/refserver/cmd/refserver"} {
		if _, err := w.output(ctx, "windows", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, source); err != nil {
			return err
		}
	}
	said, err := w.output(ctx, "", w.wine, program, "version")
	if err != nil || !strings.HasPrefix(said, "wsi version ") {
		return fmt.Errorf("wsi.exe version: %q, %w", said, err)
	}
	return nil
}

// output runs a program and returns its standard output. goos is for the go command.
func (w *wine) output(ctx context.Context, goos string, command ...string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = w.env
	if goos != "" {
		cmd.Env = append(cmd.Env, "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, errs.String())
	}
	return string(out), nil
}
