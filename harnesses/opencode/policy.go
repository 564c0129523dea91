package opencode

import (
	"path/filepath"

	"wsi/harnesses"
)

// policy finds variables that stop OpenCode from loading the plugin. If they are set here, they are probably set where
// OpenCode is started.
func policy(env harnesses.Env, file harnesses.HookFile, _ []byte) error {
	project := filepath.Dir(filepath.Dir(file.Path)) == filepath.Join(env.Cwd, ".opencode")
	for _, variable := range []struct {
		name string
		off  bool
	}{{"OPENCODE_PURE", true}, {"OPENCODE_DISABLE_PROJECT_CONFIG", project}} {
		if variable.off && isSet(env, variable.name) {
			return harnesses.BlockedError{
				Why: variable.name + " is set, so OpenCode does not load the plugin",
				Fix: "start OpenCode without " + variable.name, Off: true,
			}
		}
	}
	return nil
}
