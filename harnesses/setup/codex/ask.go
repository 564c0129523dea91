package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lastwords"
)

// ask has Codex's app-server list the hooks of one file, in a home of its own. Which entries it has, and the hash of each that an
// approval records, do not depend on where the file is (0.171.0). It runs none of them. It takes 0.2 to 0.3 s.
func ask(ctx context.Context, env setup.Env, binary, dir string, content []byte) (said setup.Answer, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return said, err
	}
	file := setup.HookFile{Path: filepath.Join(dir, "config.toml"), Format: setup.TOML}
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		file = setup.HookFile{Path: filepath.Join(dir, "hooks.json"), Format: setup.JSON}
	}
	doc, err := decodeHooks(file, content)
	all := hooksIn(doc)
	if err != nil || len(all) == 0 && file.Format == setup.TOML {
		return said, err
	}
	if err := os.WriteFile(file.Path, content, 0o600); err != nil {
		return said, err
	}
	answer, err := appServer{ctx: ctx, env: env, binary: binary, dir: dir}.list(dir, "-c", "features.hooks=true")
	if err != nil {
		return said, err
	}
	said.Refused = answer.refused()
	if said.Refused != nil {
		return said, nil //nolint:nilerr // that Codex refuses the file is the answer
	}
	said.Hashes = map[string]string{}
	for _, h := range answer.Hooks {
		if at := strings.Split(h.Key, ":"); h.SourcePath == file.Path && len(at) > 2 {
			said.Hashes[fmt.Sprintf("%s:%s", h.event(), strings.Join(at[len(at)-2:], ":"))] = h.CurrentHash
		}
	}
	if len(said.Hashes) == 0 && (env.Exists(requirements(env)) || env.Exists(legacyConfig(env))) {
		return said, errors.New("the administrator's files may switch hooks off")
	}
	for _, h := range all {
		if said.Hashes[place(h)] == "" {
			said.Ignored = append(said.Ignored, setup.IgnoredEntry{
				Path: []string{"hooks", h.Event, strconv.Itoa(h.Group), "hooks", strconv.Itoa(h.Handler)}, Why: "it is not in its list of hooks",
			})
		}
	}
	return said, nil
}

// refused returns why Codex ignores a whole hooks.json, nil if it does not.
func (a answer) refused() *setup.InvalidConfigError {
	for _, message := range a.Warnings {
		if what, why, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(what, "failed to parse hooks config ") {
			return &setup.InvalidConfigError{Effect: ignored, Why: lastwords.Redact(withoutTexts(why), nil), Fix: "correct it", Said: true}
		}
	}
	return nil
}
