package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wsi/internal/stdiorpc"
)

// AskVersion returns the version of a harness's program, "" if it is not known, and why there is none: the program could not be started,
// it failed (an exec.ExitError with its stderr), or it did not answer ([ErrSilent]). A program in an npm package is not asked: OpenCode
// needs four seconds for an answer, and Gemini CLI leaves files in the home.
func (e Env) AskVersion(ctx context.Context, binary string) (string, error) {
	if e.Output == nil || binary == "" {
		return "", nil
	}
	if version := e.packaged(binary); version != "" {
		return version, nil
	}
	var out []byte
	err := e.Ask(ctx, binary, func(ctx context.Context) (err error) {
		err = e.InScratch(func(dir string) error {
			out, err = stdiorpc.Run(ctx, stdiorpc.Program{Path: binary, Args: []string{"--version"}, Dir: dir, Env: e.Away(dir)})
			return err
		})
		if err != nil && ctx.Err() == nil { // a program that a version manager starts may need the user's home
			out, err = e.Output(ctx, binary, "--version")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return regexp.MustCompile(`\d+\.\d+[\w.+-]*`).FindString(string(out)), nil
}

// packaged returns the version of the npm package that a program is in, "" if it is in none. A small program that is not one of
// Node can be what stands in for one that was not installed.
func (e Env) packaged(binary string) string {
	path := e.Resolved(binary)
	at := regexp.MustCompile(`^(.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+))[/\\]`).FindStringSubmatch(path)
	if at == nil {
		return ""
	}
	if content, err := e.ReadFile(path); err == nil {
		if first, _, _ := bytes.Cut(content, []byte("\n")); !bytes.Contains(first, []byte("node")) {
			return ""
		}
	}
	var of struct{ Name, Version string }
	content, err := e.ReadFile(filepath.Join(at[1], "package.json"))
	if err != nil || json.Unmarshal(content, &of) != nil || of.Name != filepath.ToSlash(at[2]) {
		return ""
	}
	return of.Version
}

// InScratch calls a function with an empty folder, which it removes afterwards.
func (e Env) InScratch(do func(dir string) error) error {
	if e.Scratch == nil {
		return errors.New("no folder")
	}
	dir, remove, err := e.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	return do(dir)
}

// Away returns the environment of a program of a harness that must leave the user's home and the network alone.
func (e Env) Away(dir string) []string {
	all := []string{"HOME=" + dir, "PATH=" + e.Getenv("PATH"), "TMPDIR=" + dir}
	if e.GOOS == "windows" {
		all = append(all, "USERPROFILE="+dir, "TEMP="+dir, "TMP="+dir, "SystemRoot="+e.Getenv("SystemRoot"), "ComSpec="+e.Getenv("ComSpec"))
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		all = append(all, name+"=http://127.0.0.1:9")
	}
	return all
}

// Flaw is why wsi does not fully work with some versions of a harness.
type Flaw struct {
	From, Before string // versions from From ("" = the first) up to but not including Before
	Why          string // follows the version: "hides ..."
	Fix          string
	HidesMeta    bool // hooks see no _meta of any result
}

// In reports whether a version has the flaw.
func (f Flaw) In(version string) bool {
	return Newer(f.Before, version) && (f.From == "" || !Newer(f.From, version))
}

// Newer reports whether version a is later than b. It is false if b is not numbers with dots, such as the name of a commit.
func Newer(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0 && numbers(b) != nil
}

// numbers returns the numbers of a version, without a suffix after - or +; nil if it is not a version.
func numbers(version string) (all []int) {
	release, suffix, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	release, _, _ = strings.Cut(release, "+")
	if release == "0.0.0" && suffix != "" || !strings.Contains(release, ".") {
		return nil // v0.0.0-TIME-COMMIT is how Go names a commit of which it knows no version
	}
	for part := range strings.SplitSeq(release, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
