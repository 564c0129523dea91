package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lastwords"
	"wsi/internal/lists"
	"wsi/internal/stdiorpc"
)

// harmless returns a command with settings that stop the app-server from doing anything else. Measured with strace on 0.169.0: by
// default it fetches plugins from github.com at its start. The user's own settings could make it send
// telemetry, ask the keyring, or write logs and databases to other folders.
func harmless(dir string, command ...string) (args []string) {
	args = command
	for _, setting := range []string{
		"features.plugins=false", "features.apps=false", "features.remote_control=false",
		"analytics.enabled=false", "otel.exporter=none", "otel.trace_exporter=none", "otel.metrics_exporter=none",
		"check_for_update_on_startup=false",
		"cli_auth_credentials_store=file", "mcp_oauth_credentials_store=file",
		"sqlite_home=" + setup.JSONText(dir), "log_dir=" + setup.JSONText(dir),
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// queryHooks asks `codex app-server` for hooks/list. At its start it writes databases and more into
// CODEX_HOME (0.169.0), so it runs with a copy of config.toml and hooks.json. It takes about 0.15 s.
func queryHooks(ctx context.Context, env setup.Env, binary, dir string) (setup.Listing, error) {
	dir, moved, err := copyHome(env, dir)
	if err != nil {
		return setup.Listing{}, err
	}
	got, err := appServer{ctx: ctx, env: env, binary: binary, dir: dir}.list(env.Resolved(env.Cwd))
	if err != nil {
		return setup.Listing{}, err
	}
	return listing(env, moved, got), nil
}

// copyHome copies the files with hooks and approvals to a folder, whose resolved path it returns. moved maps each copy to its
// original. An approval in config.toml begins with the path of the hook's file: in the copy with that of the copy.
func copyHome(env setup.Env, to string) (dir string, moved map[string]string, err error) {
	if dir, err = filepath.EvalSymlinks(to); err != nil {
		return "", nil, err
	}
	moved = map[string]string{}
	var renamed []string
	for _, name := range []string{"hooks.json", "config.toml"} {
		path, copied := filepath.Join(locate(env).ConfigHome, name), filepath.Join(dir, name)
		source, err := canonical(env, path)
		if err != nil {
			return "", nil, err
		}
		moved[copied] = path
		escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
		renamed = append(renamed, source+":", copied+":", escape(source)+":", escape(copied)+":")
		content, err := env.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(copied, []byte(strings.NewReplacer(renamed...).Replace(string(content))), 0o600)
		}
		if err != nil {
			return "", nil, err
		}
	}
	return dir, moved, nil
}

// quiet returns an environment without an account and without network access.
func quiet(env setup.Env, dir string) []string { return append(env.Away(dir), "CODEX_HOME="+dir) }

// appServer is the app-server of a Codex whose CODEX_HOME is a folder of wsi's.
type appServer struct {
	ctx         context.Context //nolint:containedctx // it is one question
	env         setup.Env
	binary, dir string
}

// answer is what it says of a folder.
type answer struct {
	Hooks    []entry
	Warnings []string
	Errors   []struct{ Message string }
}

type entry struct {
	Key, EventName, Command, SourcePath, TrustStatus, CurrentHash string

	Enabled bool
}

// event returns the name of its event as files spell it.
func (e entry) event() string {
	return strings.ToUpper(e.EventName[:min(1, len(e.EventName))]) + e.EventName[min(1, len(e.EventName)):]
}

// list asks for hooks/list in a folder, with more words on the command line.
func (a appServer) list(cwd string, more ...string) (answer, error) {
	var all struct{ Data []answer }
	err := a.env.Ask(a.ctx, a.binary, func(ctx context.Context) error {
		talk, err := stdiorpc.Start(ctx, stdiorpc.Program{
			Path: a.binary, Args: append(harmless(a.dir, "app-server"), more...), Dir: a.dir, Env: quiet(a.env, a.dir),
		})
		if err != nil {
			return fmt.Errorf("start %s: %w", a.binary, err)
		}
		defer talk.Close()
		client := map[string]any{"clientInfo": map[string]string{"name": "wsi", "version": "0"}}
		if _, err := talk.Call("initialize", client); err != nil {
			return err
		}
		if err := talk.Notify("initialized"); err != nil {
			return err
		}
		result, err := talk.Call("hooks/list", map[string]any{"cwds": []string{cwd}})
		if err == nil && json.Unmarshal(result, &all) != nil {
			err = errors.New("wsi cannot parse its list of hooks")
		}
		return err
	})
	if err == nil && len(all.Data) != 1 {
		err = fmt.Errorf("it lists the hooks of %d folders, not of one", len(all.Data))
	}
	if err != nil {
		return answer{}, err
	}
	return all.Data[0], nil
}

func listing(env setup.Env, moved map[string]string, got answer) setup.Listing {
	paths := sources(env, moved)
	l := setup.Listing{Fix: trustAll}
	for _, h := range got.Hooks {
		one := setup.Hook{File: h.SourcePath, Command: h.Command, Event: h.event()}
		if path, ok := paths[h.SourcePath]; ok {
			one.File = path
		}
		switch {
		case !h.Enabled:
			one.Skip(setup.Reason{Why: "switched off"})
		case h.TrustStatus != "trusted" && h.TrustStatus != "managed":
			one.Skip(setup.Reason{Why: h.TrustStatus})
		}
		l.Hooks = append(l.Hooks, one)
	}
	messages := append(lists.Map(got.Errors, func(e struct{ Message string }) string { return e.Message }), got.Warnings...)
	l.Warnings = lists.Map(messages, func(message string) string { return complaint(message, moved) })
	switch {
	case len(l.Hooks) == 0 && len(l.Warnings) > 0:
		l.Fix = "start codex: it says what is wrong with its configuration; correct that, then run wsi doctor again"
	case len(l.Hooks) == 0:
		l.Fix = "look for a switch in " + userConfig(env) + ", in .codex/config.toml of the project and in " + filepath.Dir(managedConfig(env)) + ": it lists no hook at all"
	}
	return l
}

// sources maps the files that Codex names to the original ones.
func sources(env setup.Env, moved map[string]string) map[string]string {
	paths := maps.Clone(moved)
	project := env
	project.Cwd = projectAt(env)
	for _, file := range append(reads(project, setup.Project), above(env)...) {
		if source, err := canonical(project, file.Path); err == nil {
			paths[source] = file.Path
		}
	}
	return paths
}

// complaint returns a message of Codex up to the colon, after which it may quote the file.
func complaint(message string, moved map[string]string) string {
	message, _, _ = strings.Cut(message, ": ")
	for copied, path := range moved {
		message = strings.ReplaceAll(message, copied, path)
	}
	return message
}

// starts runs `codex features list`, the simplest command that reads the configuration. With a configuration that it
// refuses, every command exits with status 1 (0.169.0: a setting of the wrong type, one that is no longer
// supported, a server without a command). It reads a copy of config.toml, and runs in the current folder to read
// the files of a trusted project. It makes no connection (strace) and takes about 0.1 s.
func starts(ctx context.Context, env setup.Env, binary, dir string) error {
	dir, moved, err := copyHome(env, dir)
	if err != nil {
		return err
	}
	args := harmless(dir, "features", "list")
	_, err = env.Run(ctx, stdiorpc.Program{Path: binary, Args: args, Dir: env.Resolved(env.Cwd), Env: quiet(env, dir)})
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	said := string(failed.Stderr)
	if !strings.Contains(said, cause) { // another version may not know the command
		return fmt.Errorf("codex features list: %w", err)
	}
	return setup.InvalidConfigError{Effect: "Codex does not start with its configuration", Why: refusal(said, moved), Fatal: true}
}

// cause precedes the reason for which Codex refuses its configuration.
const cause = "Caused by:"

// refusal returns the sentence after "Caused by:" and, if the next line names one, the place of a value. Quoted text
// may be a secret and is left out.
func refusal(said string, moved map[string]string) string {
	_, said, _ = strings.Cut(said, cause)
	lines := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' })
	why, place := "", ""
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if at := regexp.MustCompile("^in `([^`]*)`$").FindStringSubmatch(line); at != nil && place == "" {
			place = " in " + at[1]
		} else if why == "" && line != "" {
			why = strings.TrimPrefix(line, "0: ")
		}
	}
	if why == "" {
		return "Codex does not say why"
	}
	why = withoutTexts(why)
	file, rest := "", why
	for copied, path := range moved { // the place of a copy is not a secret, though it may look like one
		if after, ok := strings.CutPrefix(why, copied); ok {
			file, rest = path, after
		}
	}
	return file + lastwords.Redact(rest+place, nil)
}

// withoutTexts removes what a message of Codex quotes: it may be a secret.
func withoutTexts(message string) string {
	return regexp.MustCompile(`"[^"]*"?`).ReplaceAllString(message, `"..."`)
}

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
