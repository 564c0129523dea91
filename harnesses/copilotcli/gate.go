package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
)

// gate: hooks of a project run in folders that their user trusts, and in those below them; elsewhere they
// are skipped without a word, headless too. Both spellings count, and only in this file (1.0.102).
func gate(env harnesses.Env, hf harnesses.HookFile, _ []byte) error {
	if filepath.Dir(filepath.Dir(hf.Path)) != filepath.Join(env.Cwd, ".github") {
		return nil
	}
	content, err := env.ReadIfThere(filepath.Join(plain().Locate(env).ConfigHome, "config.json"))
	if err != nil {
		return err
	}
	var config struct {
		Trusted []string `json:"trustedFolders"`
		Older   []string `json:"trusted_folders"`
	}
	if json.Unmarshal(jsonc.ToJSON(content), &config) == nil && slices.ContainsFunc(slices.Concat(config.Trusted, config.Older), env.Within) {
		return nil
	}
	return harnesses.Closed{
		Why: "Copilot CLI runs a project's hooks only where its user trusts the folder, and skips them silently elsewhere",
		Fix: "run copilot in " + env.Cwd + ", and say that you trust the folder",
	}
}
