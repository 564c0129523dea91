// Package manual writes the manual pages of wsi, and the completions of the shells, for make release and make install. The
// generator of the pages is not in the wsi that is released.
package manual

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Write writes DIR/man/man1/*.1, DIR/completions/wsi.bash, wsi.fish, _wsi (zsh) and wsi.ps1. The date of the pages is
// SOURCE_DATE_EPOCH.
func Write(root *cobra.Command, version, dir string) error {
	man, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true // the date is in the header
	root.Long = root.Short + `.

Begin with wsi setup. The documents are README.md and docs: in a package below share/doc/wsi, on Linux /usr/share/doc/wsi, and in
the clone from which make install installed wsi. Before you remove wsi, run wsi remove.`
	header := &doc.GenManHeader{Section: "1", Source: "wsi " + version, Manual: "wsi"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	if err := addSections(filepath.Join(man, "wsi.1")); err != nil {
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

// sections are what the pages of cobra do not have.
const sections = `.SH FILES
.TP
~/.local/state/wsi
Captured values, backups, the record of what setup changed, and the journal, readable only by you.
On macOS ~/Library/Application Support/wsi, on Windows %LOCALAPPDATA%\\wsi.
.TP
~/.config/wsi/rules.toml
Your rules. wsi rules path prints where the file is on this machine.
.TP
~/.claude/workflow-server-tokens/current.token
The latest token of a workflow-server, as the server's specification requires.
.PP
The files of a harness that setup changes are in its review, and in wsi status.
.SH ENVIRONMENT
.TP
WSI_STATE_DIR
The folder for values, backups and the journal, in place of ~/.local/state/wsi.
.TP
XDG_STATE_HOME, XDG_CONFIG_HOME
The folders that contain wsi's own, on Linux.
.TP
NO_COLOR
Print without colors.
.SH EXIT STATUS
.TP
0
The command did what it was asked for. A hook (wsi inject, wsi capture) always ends with 0.
.TP
1
It failed, or the doctor found something broken.
.TP
2
The command line is wrong.
.TP
3
You declined.
`

// addSections puts the sections before the last one of a page.
func addSections(path string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(page), ".SH SEE ALSO")
	return os.WriteFile(path, []byte(before+sections+".SH SEE ALSO"+after), 0o644) //nolint:gosec // others read it
}
