package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// release is what is made, and from what.
type release struct {
	source    string // a checkout
	out       string // the folder that is written
	nfpm      string // the program
	version   string // semantic, without "v"
	commit    string
	time      time.Time // of the commit: every file has it
	changed   bool      // the checkout is not exactly the commit
	platforms []platform
	publisher
}

// publisher is what only the publisher of a release knows. Nothing in the source says where wsi is published.
type publisher struct {
	Homepage, Downloads string // addresses; Downloads is that of a folder
	NPM                 string // @scope/name
	Maintainer          string
}

// snapshot replaces what the publisher of a release must say. The domain .invalid never exists (RFC 2606), and npm
// gives no one a scope with a dot.
var snapshot = publisher{
	Homepage: "https://wsi.invalid", Downloads: "https://wsi.invalid/downloads", NPM: "@wsi.invalid/wsi", Maintainer: "the wsi contributors",
}

// or fills in what p does not say.
func (p publisher) or(other publisher) publisher {
	return publisher{
		Homepage: cmp.Or(p.Homepage, other.Homepage), Downloads: cmp.Or(p.Downloads, other.Downloads),
		NPM: cmp.Or(p.NPM, other.NPM), Maintainer: cmp.Or(p.Maintainer, other.Maintainer),
	}
}

// check returns an error if something is missing, or cannot be what it should be.
func (p publisher) check() error {
	var missing []string
	for _, given := range []struct{ name, value string }{
		{"HOMEPAGE", p.Homepage}, {"DOWNLOADS", p.Downloads}, {"NPM", p.NPM}, {"MAINTAINER", p.Maintainer},
	} {
		if given.value == "" {
			missing = append(missing, given.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("only the publisher knows %s: make release PUBLISH=1 needs them as NAME=VALUE", strings.Join(missing, ", "))
	}
	for _, address := range []string{p.Homepage, p.Downloads} {
		if !strings.HasPrefix(address, "https://") || strings.ContainsAny(address, " \"'#\\") {
			return fmt.Errorf("not an https address: %s", address)
		}
	}
	if !regexp.MustCompile(`^@[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$`).MatchString(p.NPM) {
		return fmt.Errorf("NPM=%s is not @SCOPE/NAME; without a scope of yours, others could publish the packages of the platforms", p.NPM)
	}
	return nil
}

// platform is a system that wsi is built for, in Go's words.
type platform struct{ os, arch string }

// all are the platforms of a release.
var all = []platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// exe returns the file name of a program.
func (p platform) exe(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

// make writes everything into the folder out, and last the checksums.
func (r release) make(ctx context.Context) (err error) {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "wsi-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	shared, err := r.shared(ctx, temp)
	if err != nil {
		return err
	}
	var archives []archive
	for _, p := range r.platforms {
		program, err := r.build(ctx, p, filepath.Join(temp, p.os+"-"+p.arch))
		if err != nil {
			return err
		}
		files := append(tree{{name: "bin/" + p.exe("wsi"), mode: 0o755, data: program}}, shared...)
		licenses, err := r.licenses(ctx, p, program)
		if err != nil {
			return err
		}
		files = append(files, file{name: docs + "THIRD-PARTY.txt", mode: 0o644, data: licenses})
		a, err := r.archive(p, files)
		if err != nil {
			return err
		}
		archives = append(archives, a)
		if err := errors.Join(r.parts(p, program), r.npmProgram(p, program, licenses)); err != nil {
			return err
		}
		if p.os == "linux" {
			if err := r.linuxPackages(ctx, p, files, temp); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.npmLauncher(), r.cask(archives, shared), r.scoop(archives), r.checksums())
}

// write writes a file of the release. Everybody may read it.
func (r release) write(name string, data []byte) error {
	return writeFile(filepath.Join(r.out, name), data, 0o644)
}

// writeFile writes a file and the folders that it is in.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // read by package managers, which have their own users
		return err
	}
	return os.WriteFile(path, data, mode)
}
