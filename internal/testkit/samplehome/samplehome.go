// Package samplehome is the home folder of the demo, the screenshots and tests: the configuration of four harnesses, each
// with the user's settings.
//
// It must not know what wsi does with it.
package samplehome

import (
	"embed"
	"io/fs"
	"strings"
)

// stored has "dot-" in place of a leading ".", so that a harness does not use it as configuration of this repository.
//
//go:embed home
var stored embed.FS

// Files returns the contents of the files by their paths below the home folder, with slashes. In the contents, {{HOME}} is
// replaced by home.
func Files(home string) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(stored, "home", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := stored.ReadFile(path)
		name := strings.ReplaceAll(strings.TrimPrefix(path, "home/"), "dot-", ".")
		all[name] = strings.ReplaceAll(string(content), "{{HOME}}", home)
		return err
	})
	if err != nil {
		panic(err) // embedded files can always be read
	}
	return all
}
