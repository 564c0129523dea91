package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// openCode drives `opencode run`.
type openCode struct{}

func (openCode) configure(r *Rig, server []string) error {
	config := mustJSON(object{
		"model": "loopback/script",
		"provider": object{"loopback": object{
			"npm": "@ai-sdk/openai-compatible", "name": "loopback",
			"options": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":  object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{r.name: object{"type": "local", "command": server, "enabled": true}},
	})
	if err := r.write(".config/opencode/opencode.json", string(config)+"\n"); err != nil {
		return err
	}
	// With a plugin OpenCode waits for npm at every start unless it finds its own package installed
	// next to it, in the user's folder and in the project's.
	for _, dir := range []string{".config/opencode/", ".opencode/", "../work/.opencode/"} {
		if err := r.furnish(dir); err != nil {
			return err
		}
	}
	return nil
}

// furnish puts into a folder what OpenCode's own installation would.
func (r *Rig) furnish(dir string) error {
	needs := fmt.Sprintf(`{"dependencies":{"@opencode-ai/plugin":%q}}`, cmp.Or(r.version, "1.18.33"))
	for name, content := range map[string]string{
		".gitignore":         "node_modules\n",
		"node_modules/.keep": "",
		"package.json":       needs + "\n",
		"package-lock.json":  `{"name":"opencode","lockfileVersion":3,"requires":true,"packages":{"":` + needs + `}}` + "\n",
	} {
		if err := r.write(dir+name, content); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes a plugin of wsi's over as it is, and no other's. Of a project's nothing may have been edited: it is a
// program.
func (openCode) adopt(r *Rig, path string, f inspect.Source, runs func(line string) bool) error {
	if _, ours := f.Owned.Marked(f.Content); !ours || f.Scope == setup.Project && !f.Owned.Ours(f.Content) {
		return nil
	}
	if slices.ContainsFunc(f.Owned.Commands(f.Content), func(line string) bool { return !runs(line) }) {
		return nil
	}
	dir, err := filepath.Rel(r.Home, filepath.Dir(filepath.Dir(path))) // the plugin is in plugin/ or plugins/
	if err != nil {
		return err
	}
	return errors.Join(r.furnish(filepath.ToSlash(dir)+"/"), r.put(path, f.Content))
}

func (openCode) configHome() string { return filepath.Join(".config", "opencode") }

func (openCode) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"run", "--format", "json"}
	if session != "" {
		args = append(args, "--session", session)
	}
	return append(args, prompt), []string{
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
	}
}

func (openCode) session(_ string, stdout []byte) string { return member(stdout, "sessionID") }

// member returns a text of the first event that has it, of events in JSON, one a line.
func member(stdout []byte, name string) string {
	for line := range bytes.Lines(stdout) {
		var event object
		if json.Unmarshal(line, &event) == nil {
			if text, _ := event[name].(string); text != "" {
				return text
			}
		}
	}
	return ""
}

func (openCode) records() []string { return nil }
