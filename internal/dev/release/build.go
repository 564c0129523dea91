package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// docs is the folder of the documents, below the prefix.
const docs = "share/doc/wsi/"

// build compiles wsi. The paths of this machine, the state of git and the settings of the user are not in it.
func (r *release) build(p platform, path string, tags ...string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	_, err = r.run(p.env(), "go", "build", "-trimpath", "-buildvcs=false", "-tags="+strings.Join(tags, ","),
		"-ldflags=-s -w -buildid= -X main.release="+r.version, "-o", path, "./cmd/wsi")
	return err
}

// env returns the variables of the go command for a platform.
func (p platform) env() []string {
	return []string{
		"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOWORK=off", "GOFLAGS=-mod=readonly",
	}
}

// shared writes the files that are the same on every platform: manual pages, completions and documents.
func (r *release) shared(dir, temp string) error {
	host := platform{runtime.GOOS, runtime.GOARCH}
	writer := filepath.Join(temp, filepath.FromSlash(host.exe()))
	if err := r.build(host, writer, "manual"); err != nil {
		return err
	}
	if _, err := r.run([]string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}, writer, "manual", temp); err != nil {
		return err
	}
	files := map[string]string{
		"completions/wsi.bash": "share/bash-completion/completions/wsi",
		"completions/_wsi":     "share/zsh/site-functions/_wsi",
		"completions/wsi.fish": "share/fish/vendor_completions.d/wsi.fish",
		"completions/wsi.ps1":  "share/powershell/completions/wsi.ps1",
	}
	pages, err := filepath.Glob(filepath.Join(temp, "man", "man1", "*.1"))
	for _, page := range pages {
		files["man/man1/"+filepath.Base(page)] = "share/man/man1/" + filepath.Base(page) + ".gz"
	}
	for from, to := range files {
		err = errors.Join(err, copyFile(filepath.Join(temp, from), filepath.Join(dir, to)))
	}
	// The documents are what the checkout says about wsi, with everything that it links to.
	names, e := r.run(nil, "git", "ls-files", "--", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "LICENSE", "docs", "hook/rules/builtin.toml")
	for name := range strings.FieldsSeq(names) {
		err = errors.Join(err, copyFile(filepath.Join(r.source, name), filepath.Join(dir, docs, name)))
	}
	return errors.Join(err, e)
}

// copyFile copies a file. It compresses it if the new name ends with .gz.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if filepath.Ext(to) == ".gz" {
		data = zipped(data)
	}
	return writeFile(to, data)
}
