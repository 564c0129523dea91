package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/stdiorpc"
)

// starts runs `codex features list`, the simplest command that reads the configuration. With a configuration that it
// refuses, every command exits with status 1 (0.169.0: a setting of the wrong type, one that is no longer
// supported, a server without a command). It reads a copy of config.toml, and runs in the current folder to read
// the files of a trusted project. It makes no connection (strace) and takes about 0.1 s.
func starts(ctx context.Context, env setup.Env, binary, dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	moved, _, err := copyHome(env, dir)
	if err != nil {
		return err
	}
	args := []string{"features", "list"}
	for _, setting := range harmless(dir) {
		args = append(args, "-c", setting)
	}
	_, said, status, err := stdiorpc.Run(ctx, stdiorpc.Program{Path: binary, Args: args, Dir: env.Resolved(env.Cwd), Env: quiet(env, dir)})
	if err != nil || status == 0 {
		return err
	}
	if !strings.Contains(string(said), cause) { // another version may not know the command
		return fmt.Errorf("codex features list: exit status %d", status)
	}
	return setup.InvalidConfigError{Effect: "codex does not start with its configuration", Why: refusal(string(said), moved), Fatal: true}
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
	why = regexp.MustCompile(`"[^"]*"?`).ReplaceAllString(why, `"..."`)
	file, rest := "", why
	for copied, path := range moved { // the place of a copy is not a secret, though it may look like one
		if after, ok := strings.CutPrefix(why, copied); ok {
			file, rest = path, after
		}
	}
	return file + stdiorpc.Redact(rest+place, nil)
}
