package opencode

import (
	"errors"
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
)

// Variables of OpenCode that switch plugins off.
const (
	pure           = "OPENCODE_PURE"
	disableProject = "OPENCODE_DISABLE_PROJECT_CONFIG"
)

// policy finds variables that stop OpenCode from loading wsi's plugin.
func policy(env setup.Env, file setup.HookFile, _ []byte) (all error) {
	project := filepath.Dir(filepath.Dir(file.Path)) == filepath.Join(env.Cwd, ".opencode")
	for _, why := range notLoaded(env, project) {
		all = errors.Join(all, why)
	}
	return all
}

// notLoaded returns why OpenCode loads no plugins, or none of a project. If the variables are set here, they are probably
// set where OpenCode is started.
func notLoaded(env setup.Env, project bool) (all []setup.BlockedError) {
	for _, variable := range []struct {
		name string
		off  bool
	}{{pure, slices.Contains([]string{"1", "true", "yes", "on", "y"}, env.Getenv(pure))}, {disableProject, project && alone(env)}} {
		if variable.off {
			all = append(all, setup.BlockedError{
				Why: variable.name + " is set, so OpenCode does not load the plugin",
				Fix: "start OpenCode without " + variable.name, Off: true,
			})
		}
	}
	return all
}
