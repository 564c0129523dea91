// Command release makes what users install: for six platforms an archive, a list of its parts (SBOM) and a package for
// npm, for Linux packages for dpkg, rpm and apk, and the manifests of Homebrew and Scoop. Two runs on the same commit,
// with the same version of Go, write the same bytes.
//
// Without -publish it makes a snapshot, for tests: its version sorts before the release, and its manifests name an
// address that does not exist. With -publish the commit must have the tag of the version, and the publisher
// must say under which names and addresses the files will be found. It uploads nothing.
//
// It must not know what wsi does, only how it is built.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
var snapshot = publisher{"https://wsi.invalid", "https://wsi.invalid/downloads", "@wsi.invalid/wsi", "the wsi contributors"}

// platform is a system that wsi is built for, in Go's words.
type platform struct{ os, arch string }

// all are the platforms of a release.
var all = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// exe returns the path of wsi in a package.
func (p platform) exe() string {
	if p.os == "windows" {
		return "bin/wsi.exe"
	}
	return "bin/wsi"
}

func main() {
	r := release{source: ".", platforms: all, publisher: snapshot}
	publish := flag.Bool("publish", false, "make the release itself, not a snapshot")
	flag.StringVar(&r.out, "out", "dist", "the `folder` to write; what is in it is deleted")
	flag.StringVar(&r.nfpm, "nfpm", "nfpm", "the `program` nfpm, which makes packages for Linux")
	flag.StringVar(&r.Homepage, "homepage", r.Homepage, "`address` of the project")
	flag.StringVar(&r.Downloads, "downloads", r.Downloads, "`address` of the folder that the archives are uploaded to")
	flag.StringVar(&r.NPM, "npm", r.NPM, "`@scope/name` of the package in npm; those of the platforms have it as a prefix")
	flag.StringVar(&r.Maintainer, "maintainer", r.Maintainer, "`name <address>` for the packages of Linux")
	flag.Parse()
	err := r.identify(*publish)
	if err == nil {
		err = r.make()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Printf("wsi %s: the files are in %s\n", r.version, r.out)
}

// make writes everything into the folder out, and last the checksums.
func (r *release) make() (err error) {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "wsi-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	shared := filepath.Join(temp, "shared")
	if err := r.shared(shared, filepath.Join(temp, "made")); err != nil {
		return err
	}
	var archives []archive
	for _, p := range r.platforms {
		a, err := r.platform(p, filepath.Join(temp, p.os+"-"+p.arch), shared)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
		archives = append(archives, a)
	}
	return errors.Join(r.npmLauncher(filepath.Join(temp, "npm")), r.manifests(archives, shared), r.checksums())
}

// platform makes all packages of a platform, from a folder like ~/.local.
func (r *release) platform(p platform, dir, shared string) (archive, error) {
	program := filepath.Join(dir, filepath.FromSlash(p.exe()))
	if err := errors.Join(os.CopyFS(dir, os.DirFS(shared)), r.build(p, program)); err != nil {
		return archive{}, err
	}
	licenses, err := r.parts(p, program)
	if err != nil {
		return archive{}, err
	}
	if err := writeFile(filepath.Join(dir, docs, "THIRD-PARTY.txt"), licenses); err != nil {
		return archive{}, err
	}
	a, err := r.archive(p, dir)
	if err == nil && p.os == "linux" {
		err = r.linuxPackages(p, dir)
	}
	return a, errors.Join(err, r.npmProgram(p, program, licenses, dir+"-npm"))
}

// writeFile writes a file that everybody may read, and the folders that it is in. What is in a folder bin is a program.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // read by package managers, which have their own users
		return err
	}
	return os.WriteFile(path, data, mode(path))
}

func mode(path string) os.FileMode {
	if filepath.Base(filepath.Dir(path)) == "bin" {
		return 0o755
	}
	return 0o644
}
