//go:build manual

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"
)

// A wsi built with the tag "manual" has one more command, for make release: wsi manual DIR writes the manual pages and
// the completions of the shells into DIR. The generator of manual pages is not in the wsi that is released. The date of
// the pages is SOURCE_DATE_EPOCH.
func init() {
	if len(os.Args) != 3 || os.Args[1] != "manual" {
		return
	}
	if err := writeManual(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// writeManual writes DIR/man/man1/*.1, DIR/completions/wsi.bash, wsi.fish, _wsi (zsh) and wsi.ps1.
func writeManual(dir string) error {
	man, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	root := newRootCmd(env{})
	root.DisableAutoGenTag = true // the date is in the header
	root.Long = root.Short + `.

Begin with wsi setup. The documents are in the folder share/doc/wsi of the package: on Linux README.md and docs in
/usr/share/doc/wsi. Before you remove wsi, run wsi remove.`
	header := &doc.GenManHeader{Section: "1", Source: "wsi " + version(), Manual: "wsi"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"wsi.bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"wsi.fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
		"_wsi":     root.GenZshCompletionFile,
		"wsi.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}
