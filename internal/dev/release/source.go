package main

import (
	"bytes"
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

// identify finds out the version, the commit and its time. To publish, the checkout must be exactly a tagged release.
func (r *release) identify(publish bool) error {
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if r.version, err = newest(changes); err != nil {
		return err
	}
	line, err := r.run(nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of commit %s: %w", commit, err)
	}
	r.commit, r.time = commit, time.Unix(at, 0).UTC()
	if publish {
		return r.publishable()
	}
	r.version += "-pre" + r.time.Format("20060102150405") // a form that semver, dpkg, rpm and apk sort before the release
	return nil
}

// newest returns the version that the CHANGELOG describes first: the one that this source is, or will be.
func newest(changelog []byte) (string, error) {
	heading := regexp.MustCompile(`(?m)^## (.*?)\s*$`).FindSubmatch(changelog)
	if len(heading) < 2 || !regexp.MustCompile(`^\d+\.\d+\.\d+$`).Match(heading[1]) {
		return "", fmt.Errorf("CHANGELOG.md: the first heading is %q, not a version such as 1.2.3", heading)
	}
	return string(heading[1]), nil
}

// publishable returns an error if the checkout is not exactly the tagged release, or the publisher has not said all.
func (r *release) publishable() error {
	tags, err := r.run(nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if tag := "v" + r.version; !slices.Contains(strings.Fields(tags), tag) {
		return fmt.Errorf("to publish %s, tag the commit first: git tag %s", r.version, tag)
	}
	if status, err := r.run(nil, "git", "status", "--porcelain"); err != nil || status != "" {
		return errors.Join(err, errors.New("to publish, commit or remove what git status shows"))
	}
	address, scoped := regexp.MustCompile(`^https://[^ "'#\\]+$`), regexp.MustCompile(`^@[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$`)
	for name, said := range map[string]struct {
		value, snapshot string
		form            *regexp.Regexp
	}{
		"HOMEPAGE": {r.Homepage, snapshot.Homepage, address}, "DOWNLOADS": {r.Downloads, snapshot.Downloads, address},
		// Without a scope of the publisher, others could publish the packages of the platforms.
		"NPM":        {r.NPM, snapshot.NPM, scoped},
		"MAINTAINER": {r.Maintainer, snapshot.Maintainer, regexp.MustCompile(`.`)},
	} {
		if said.value == said.snapshot || !said.form.MatchString(said.value) {
			err = errors.Join(err, fmt.Errorf("%s=%s: only the publisher knows it, and it must match %s", name, said.value, said.form))
		}
	}
	return err
}

// run runs a program in the checkout, with further variables, and returns its standard output without the last line end.
func (r *release) run(env []string, name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = r.source, append(os.Environ(), env...), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
