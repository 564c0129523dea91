package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed files/nfpm.yaml
var nfpmConfig string

//go:embed files/preremove.sh
var preremove []byte

// linuxPackages writes the packages of a platform. The files are below /usr, the program is /usr/bin/wsi.
func (r *release) linuxPackages(p platform, dir string) error {
	config, script := filepath.Join(dir+"-nfpm", "nfpm.yaml"), filepath.Join(dir+"-nfpm", "bin", "preremove.sh")
	said := map[string]string{
		"FILES": dir, "SCRIPT": script, "ARCH": p.arch, "VERSION": r.version, "MAINTAINER": r.Maintainer, "HOMEPAGE": r.Homepage,
		"ZSH": filepath.Join(dir, "share/zsh/site-functions/_wsi"), "LICENSE": filepath.Join(dir, docs, "LICENSE"),
	}
	settings := os.Expand(nfpmConfig, func(name string) string { return strconv.Quote(said[name]) }) // a string in YAML, too
	if err := errors.Join(writeFile(config, []byte(settings)), writeFile(script, preremove)); err != nil {
		return err
	}
	// nfpm puts the times of folders and of the script into the packages.
	for _, folder := range []string{dir, filepath.Dir(script)} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(path, r.time, r.time)
		})
		if err != nil {
			return err
		}
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	env := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}
	for _, format := range []string{"deb", "rpm", "apk"} {
		if _, err := r.run(env, r.nfpm, "package", "--config", config, "--packager", format, "--target", out); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}
