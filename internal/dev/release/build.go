package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// docs is the folder of the documents, below the prefix.
const docs = "share/doc/wsi/"

// build compiles wsi and returns the program. The paths of this machine, the state of git and the settings of the user are not in it.
func (r *release) build(ctx context.Context, p platform, path string, tags ...string) ([]byte, error) {
	env := []string{
		"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOWORK=off",
		"GOFLAGS=-mod=readonly " + parallel(os.Getenv("GOFLAGS")),
	}
	_, err := r.run(ctx, env, "go", "build", "-trimpath", "-buildvcs=false", "-tags="+strings.Join(tags, ","),
		"-ldflags=-s -w -buildid= -X main.release="+r.version, "-o", path, "./cmd/wsi")
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
	}
	return os.ReadFile(path)
}

// parallel keeps of the user's GOFLAGS only how many programs run at once, which does not change the result.
func parallel(goflags string) string {
	for flag := range strings.FieldsSeq(goflags) {
		if strings.HasPrefix(flag, "-p=") {
			return flag
		}
	}
	return ""
}

// shared returns the files that are the same on every platform: manual pages, completions and documents.
func (r *release) shared(ctx context.Context, temp string) (tree, error) {
	host := platform{runtime.GOOS, runtime.GOARCH}
	writer := filepath.Join(temp, host.exe("manual"))
	if _, err := r.build(ctx, host, writer, "manual"); err != nil {
		return nil, err
	}
	made := filepath.Join(temp, "made")
	if _, err := r.run(ctx, []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}, writer, "manual", made); err != nil {
		return nil, err
	}
	var files tree
	for from, to := range map[string]string{
		"completions/wsi.bash": "share/bash-completion/completions/wsi",
		"completions/_wsi":     "share/zsh/site-functions/_wsi",
		"completions/wsi.fish": "share/fish/vendor_completions.d/wsi.fish",
		"completions/wsi.ps1":  "share/powershell/completions/wsi.ps1",
	} {
		data, err := os.ReadFile(filepath.Join(made, from))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: to, mode: 0o644, data: data})
	}
	pages, err := filepath.Glob(filepath.Join(made, "man", "man1", "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "share/man/man1/" + filepath.Base(page) + ".gz", mode: 0o644, data: zipped(data)})
	}
	documents, err := r.documents(ctx)
	return append(files, documents...), err
}

// documents returns what the checkout says about wsi, with everything that it links to.
func (r *release) documents(ctx context.Context) (files tree, err error) {
	names, err := r.git(ctx, "ls-files", "--", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "LICENSE", "docs", "hook/rules/builtin.toml")
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		data, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: docs + name, mode: 0o644, data: data})
	}
	return files, nil
}

// zipped compresses data, without a name and a time.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return b.Bytes()
}
