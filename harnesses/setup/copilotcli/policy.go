package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/tidwall/jsonc"

	"wsi/harnesses/setup"
)

// untrusted returns an error unless the user trusts the current folder or one above it: Copilot CLI skips the hooks of a
// project silently, headless as well. Both spellings count, and only in this file (1.0.102).
func untrusted(env setup.Env) error {
	if ok, err := trusted(env); ok || err != nil {
		return err
	}
	return setup.BlockedError{
		Why: "Copilot CLI runs a project's hooks only in trusted folders, and skips them silently elsewhere",
		Fix: "run copilot in " + env.Cwd + ", and trust the folder",
	}
}

// trusted reports whether the user trusts the current folder.
func trusted(env setup.Env) (bool, error) {
	content, err := env.ReadIfThere(filepath.Join(plain().Locate(env).ConfigHome, "config.json"))
	if err != nil {
		return false, err
	}
	var config struct {
		Trusted []string `json:"trustedFolders"`
		Older   []string `json:"trusted_folders"`
	}
	bad := json.Unmarshal(jsonc.ToJSON(content), &config)
	return bad == nil && slices.ContainsFunc(slices.Concat(config.Trusted, config.Older), env.Within), nil
}
