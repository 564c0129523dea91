package hooklist

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// owners are programs that install hooks, by the names of their files without an extension, and the commands with which they
// remove them. {} is the harness: the first word of its id.
//
// Where the commands come from (November 2026): rtk: github.com/rtk-ai/rtk/issues/384; codebase-memory-mcp:
// github.com/DeusData/codebase-memory-mcp/issues/2106; claude-mem: github.com/thedotmack/claude-mem/issues/2579; memorix:
// github.com/AVIDS2/memorix/issues/89; bd: the documentation of beads, bd setup; entire: docs.entire.io/cli-reference/disable.
var owners = map[string]string{
	"rtk":                 "rtk init -g --uninstall",
	"rtk-rewrite":         "rtk init -g --uninstall",
	"codebase-memory-mcp": "codebase-memory-mcp uninstall",
	"claude-mem":          "npx claude-mem uninstall",
	"memorix":             "memorix hooks uninstall",
	"entire":              "entire disable",
	"bd":                  "bd setup {} --remove",
}

// remover returns the command that removes a hook by the program that installed it, "" if it is not known.
func remover(harness setup.Harness, h setup.Hook) string {
	if h.Origin == setup.OfPlugin {
		plain := strings.TrimFunc(h.Owner, func(r rune) bool { return harnesses.WordOrHyphen(r) || r == '@' || r == '.' }) == ""
		if harness.Files.PluginRemover == "" || h.Owner == "" || !plain {
			return ""
		}
		return harness.Files.PluginRemover + " " + h.Owner
	}
	if said, wsi := setup.ParseCommand(h.Command); wsi {
		if h.Origin == setup.OfProject || h.Origin == setup.OfLocal {
			return "wsi remove --harness " + said.Harness + " --scope project"
		}
		return "wsi remove --harness " + said.Harness
	}
	if h.Origin == setup.OfManaged {
		return "" // only the administrator can
	}
	name := filepath.Base(inspect.ProgramIn(h))
	name = strings.TrimSuffix(name, filepath.Ext(name))
	word, _, _ := strings.Cut(harness.ID, "-")
	return strings.ReplaceAll(owners[name], "{}", word)
}
