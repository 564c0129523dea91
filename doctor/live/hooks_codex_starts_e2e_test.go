//go:build e2e

package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	oncodex "wsi/harnesses/setup/codex"
	"wsi/internal/testkit/envtest"
)

// codexConfigs are the user's and a trusted project's config.toml, and whether Codex does not start with them.
var codexConfigs = []struct {
	user, project string
	refused       bool
}{
	{"model = 'x'\nmodel_reasoning_effort = 'high'\nunknown = 5\n", "", false},
	{"model = 5\n", "", true},
	{"model = 5\n", "model = 'x'\n", false}, // the project's counts
	{"", "model = 5\n", true},
	{"notify = 'x'\n", "", true},
	{"", "notify = 'x'\n", false}, // not read there
	{"", "profile = 'x'\n", false},
	{"profile = 'x'\n", "", true},
	{"", "profiles = 3\n", false},
	{"", "model_provider = 3\nmodel_providers = 3\n", false},
	{"model_providers = 3\n", "", true},
	{"hide_agent_reasoning = 'yes'\n", "", true},
	{"tui = 3\n", "", true},
	{"history = 3\n", "", true},
	{"profiles = 3\n", "", true},
	{"mcp_servers = []\n", "", true},
	{"sandbox_workspace_write = true\n", "", true},
	{"shell_environment_policy = 'all'\n", "", true},
	{"[features]\nhooks = 'yes'\n", "", true},
	{"[features]\nsomething = 1\n", "", true},
	{"[features]\nsomething = true\nmulti_agent_v2 = { enabled = true }\n", "", false},
	{"[features]\nhooks = 3\n", "[features]\nhooks = true\n", false},
	{"[mcp_servers.a]\nenabled = false\n", "", true},
	{"[mcp_servers.a]\nargs = ['x']\n", "", true},
	{"[mcp_servers.a]\ncommand = 'x'\n", "[mcp_servers.a]\nenabled = false\n", false},
	{"[mcp_servers.a]\ncommand = 'x'\n", "[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\n", true},
	{"[mcp_servers.a]\ncommand = ['x', 'y']\n", "", true},
	{"[mcp_servers.a]\ncommand = 'x'\nargs = 'y'\n", "", true},
	{"[mcp_servers.a]\ncommand = ''\ntype = 'stdio'\nheaders = { a = 'b' }\n", "", false},
	{"[mcp_servers.a]\ncommand = 'x'\nenv = ['A=1']\n", "", true},
	{"[mcp_servers.a]\ncommand = 'x'\nenv_vars = ['A']\nstartup_timeout_sec = 20\ntool_timeout_sec = 2.5\n", "", false},
	{"[mcp_servers.a]\ncommand = 'x'\nstartup_timeout_sec = '20'\n", "", true},
	{"[mcp_servers.a]\ncommand = 'x'\nhttp_headers = { a = 'b' }\n", "", true},
	{"[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\nenv = { A = 'b' }\n", "", true},
	{"[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\nhttp_headers = { a = 'b' }\nbearer_token_env_var = 'T'\n", "", false},
	{"[mcp_servers.a]\nurl = 'http://127.0.0.1:9/'\ncwd = '/'\n", "", true},
	{"[[mcp_servers.a]]\ncommand = 'x'\n", "", true},
	{"[mcp_servers]\ncommand = 'x'\n", "", true},
	{"approval_policy = 'sometimes'\n", "", true},
	{"model_provider = 'nowhere'\n", "", true},
	{"[projects.x]\ntrust_level = 'yes'\n", "", true},
	{"[mcp_servers.a]\ncommand = 'x'\nenv = { A = 1 }\n", "", true},
	{"projects.x = 3\n", "", true},
}

// Asked with a copy of the configuration, Codex says what it says with the configuration itself.
func TestCodexStartsAsWsiSays(t *testing.T) {
	binary := harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex")
	starts := func(t *testing.T, user, project string) (binaryDoes, wsiSays bool) {
		t.Helper()
		env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
		trusted := fmt.Sprintf("[projects.%q]\ntrust_level = 'trusted'\n", env.Resolved(env.Cwd))
		if project == "" {
			trusted = ""
		}
		writeBelow(t, env.Home, ".codex/config.toml", user+trusted)
		writeBelow(t, env.Home, ".codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`)
		writeBelow(t, env.Cwd, ".codex/config.toml", project)
		cmd := exec.CommandContext(t.Context(), binary, "features", "list")
		cmd.Dir, cmd.Env = env.Cwd, []string{"HOME=" + env.Home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "Caused by:") {
			t.Fatalf("%v\n%s", err, out)
		}
		env.Environ = os.Environ
		var refused setup.InvalidConfigError
		errors.As(oncodex.Harness().Proof.Starts(t.Context(), env, binary, t.TempDir()), &refused)
		return err == nil, !refused.Fatal
	}
	for _, c := range codexConfigs {
		if does, says := starts(t, c.user, c.project); does == c.refused || says == c.refused {
			t.Errorf("%q, project %q: starts %v, wsi says %v, want %v", c.user, c.project, does, says, !c.refused)
		}
	}
}
