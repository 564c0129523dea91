package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// identify finds out the version, the commit and its time. To publish, the commit must be a release.
func (r *release) identify(ctx context.Context, publish bool) error {
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	next, err := newest(changes)
	if err != nil {
		return err
	}
	if err := r.readCommit(ctx); err != nil {
		return err
	}
	if !publish {
		r.publisher = r.or(snapshot)
		r.version = next + "-pre" + r.time.Format("20060102150405") // a form that semver, dpkg, rpm and apk sort before next
		return r.check()
	}
	if err := r.publishable(ctx, next); err != nil {
		return err
	}
	r.version = next
	return r.check()
}

// newest returns the version that the CHANGELOG describes first: the one that this source is, or will be.
func newest(changelog []byte) (string, error) {
	for line := range bytes.Lines(changelog) {
		heading, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "## ")
		switch {
		case !ok:
		case regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(heading):
			return heading, nil
		default:
			return "", fmt.Errorf("CHANGELOG.md: the first heading is %q, not a version such as 1.2.3", heading)
		}
	}
	return "", errors.New("CHANGELOG.md has no heading with a version")
}

// readCommit reads the commit of the checkout and its time.
func (r *release) readCommit(ctx context.Context) error {
	line, err := r.git(ctx, "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of commit %s: %w", commit, err)
	}
	status, err := r.git(ctx, "status", "--porcelain")
	r.commit, r.time, r.changed = commit, time.Unix(at, 0).UTC(), status != ""
	return err
}

// publishable returns an error if the checkout is not exactly the tagged release.
func (r *release) publishable(ctx context.Context, version string) error {
	tags, err := r.git(ctx, "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if tag := "v" + version; !slices.Contains(strings.Fields(tags), tag) {
		return fmt.Errorf("to publish %s, tag the commit first: git tag %s", version, tag)
	}
	if r.changed {
		return errors.New("to publish, commit or remove what git status shows")
	}
	return nil
}

// git runs git in the checkout and returns what it printed.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, nil, "git", args...)
	return strings.TrimSpace(string(out)), err
}

// run runs a program in the checkout, with further variables, and returns its standard output.
func (r *release) run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.source, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{filepath.Base(name)}, args[:min(2, len(args))]...), " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}
