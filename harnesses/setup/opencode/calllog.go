package opencode

import (
	"cmp"
	"path/filepath"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// callLog returns OpenCode's log, which has a line for the permission of each call (1.18.33).
func callLog(env setup.Env, server string) setup.CallLog {
	data := env.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = ""
	}
	return setup.CallLog{
		Files: []string{filepath.Join(cmp.Or(data, filepath.Join(env.Home, ".local", "share")), "opencode", "log", "*.log")},
		Marks: []string{"message=evaluated permission=" + harnesses.SafeName(server, harnesses.WordOrHyphen) + "_"},
	}
}
