package opencode

import (
	"path/filepath"

	"wsi/harnesses"
)

// policy knows the variables under which OpenCode loads no plugin. That they are set here does not
// mean that they are wherever OpenCode is started, but most likely they are.
func policy(env harnesses.Env, file harnesses.HookFile, _ []byte) error {
	project := filepath.Dir(filepath.Dir(file.Path)) == filepath.Join(env.Cwd, ".opencode")
	for _, variable := range []struct {
		name string
		off  bool
	}{{"OPENCODE_PURE", true}, {"OPENCODE_DISABLE_PROJECT_CONFIG", project}} {
		if variable.off && isSet(env, variable.name) {
			return harnesses.BlockedError{
				Why: variable.name + " is set, under which OpenCode does not load the plugin",
				Fix: "start OpenCode without " + variable.name, Off: true,
			}
		}
	}
	return nil
}
