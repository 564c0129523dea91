package setup

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version returns the version that a harness's program reports within five seconds, else "".
func (e Env) Version(ctx context.Context, binary string) string {
	version, _ := e.AskVersion(ctx, binary)
	return version
}

// AskVersion is like [Env.Version] and returns why there is none: the program could not be started, it failed (an
// exec.ExitError with its stderr), or it took too long (context.DeadlineExceeded).
func (e Env) AskVersion(ctx context.Context, binary string) (string, error) {
	if e.Output == nil || binary == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := e.Output(ctx, binary, "--version")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", err
	}
	return regexp.MustCompile(`\d+\.\d+[\w.+-]*`).FindString(string(out)), nil
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
