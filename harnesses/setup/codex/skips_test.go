package codex

import (
	"strings"
	"testing"

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
		off, line, path := feature(env, configuration(env), "hooks", "codex_hooks")
		if off != (c.by != "") || off && (envtest.Posix(path) != c.by || !strings.Contains(line, "hooks = false")) {
			t.Errorf("%s: %v, %s in %s", name, off, line, path)
		}
	}
}

func TestPluginsAreNamedByTheirMarket(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".codex/config.toml": "[plugins.\"demo@mymk\"]\n",
		".codex/plugins/cache/mymk/demo/1.0.0/.codex-plugin/plugin.json": `{"name":"demo","version":"1.0.0"}`,
	}, nil)
	if pluginOf(env, "demo@mymk") == nil {
		t.Error("no plugin")
	}
	for _, id := range []string{"demo", "../demo@mymk", "demo@..", "other@mymk", "/@/"} {
		if pluginOf(env, id) != nil {
			t.Errorf("%s is a plugin", id)
		}
	}
}

func TestNewestVersionOfAPlugin(t *testing.T) {
	for _, c := range [][2]string{{"1.9.0", "1.10.0"}, {"1.10.0", "local"}, {"1.0.0", "abcdef0"}, {"1.0.0", "v2.0.0"}, {"1.0.0-rc1", "1.0.0"}, {"1.0.0", "1.0.0+b"}} {
		if compareVersions(c[0], c[1]) >= 0 || compareVersions(c[1], c[0]) <= 0 {
			t.Errorf("%s is not before %s", c[0], c[1])
		}
	}
}
