package codex

import (
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// The last file with a switch decides, a name comes before its old one, and requirements before both (hooks/list of 0.169.0).
func TestSwitchesOfAllFiles(t *testing.T) {
	const home, project = "/home/u/.codex/config.toml", "/proj/sub/.codex/config.toml"
	linux := world(nil)
	trust := "[projects.\"" + envtest.Quoted(envtest.Path("/proj/sub")) + "\"]\ntrust_level = \"trusted\"\n"
	on, off, oldOff, oldOn := "[features]\nhooks = true\n", "[features]\nhooks = false\n", "[features]\ncodex_hooks = false\n", "[features]\ncodex_hooks = true\n"
	for name, c := range map[string]struct {
		files map[string]string
		by    string // the file that switches hooks off
	}{
		"nothing":                      {nil, ""},
		"the user":                     {map[string]string{home: off}, home},
		"an untrusted project":         {map[string]string{project: off}, ""},
		"a trusted project":            {map[string]string{home: trust, project: off}, project},
		"a project against the user":   {map[string]string{home: off + trust, project: on}, ""},
		"an old name in the project":   {map[string]string{home: on + trust, project: oldOff}, ""},
		"an old name of the user":      {map[string]string{home: oldOff + trust, project: on}, ""},
		"a new name in the project":    {map[string]string{home: oldOn + trust, project: off}, project},
		"the machine":                  {map[string]string{managedConfig(linux): off}, managedConfig(linux)},
		"the user against the machine": {map[string]string{managedConfig(linux): off, home: on}, ""},
		"the old managed file":         {map[string]string{legacyConfig(linux): off, home: on}, legacyConfig(linux)},
		"requirements":                 {map[string]string{requirements(linux): off, home: on}, requirements(linux)},
		"requirements that want them":  {map[string]string{requirements(linux): on, home: off}, ""},
		"the machine trusts a project": {map[string]string{managedConfig(linux): trust, project: off}, project},
	} {
		env := world(c.files)
		all := gates(env, configuration(env), setup.HookFile{Origin: setup.OfManaged})
		posix := strings.NewReplacer(`\`, "/", "C:", "")
		if got := posix.Replace(fmt.Sprint(all)); (len(all) > 0) != (c.by != "") || !strings.Contains(got, "hooks = false under [features] in "+posix.Replace(c.by)) && c.by != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
