package harnesses

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version asks a harness's program for its version, for at most five seconds; "" if it does not say.
func (e Env) Version(ctx context.Context, binary string) string {
	version, _ := e.AskVersion(ctx, binary)
	return version
}

// AskVersion does that, too, and says why the program does not: it could not be started, or ended with a status (an
// exec.ExitError with what it complained of), or not in time (a context.DeadlineExceeded).
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

// Flaw is why wsi does not work with versions of a harness as it should.
type Flaw struct {
	From, Before string // from this one, "" = from the first; up to but not with this one
	Why          string // follows the version: "hides ..."
	Fix          string
}

// In tells whether a version has the flaw.
func (f Flaw) In(version string) bool {
	return Newer(f.Before, version) && (f.From == "" || !Newer(f.From, version))
}

// Newer tells whether version a is later than b, as far as both are numbers with dots.
func Newer(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0 && numbers(b) != nil
}

// numbers reads the beginning of a version; nil if it is none.
func numbers(version string) (all []int) {
	release, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	release, _, _ = strings.Cut(release, "+")
	for part := range strings.SplitSeq(release, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
