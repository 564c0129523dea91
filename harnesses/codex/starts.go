package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses"
	"wsi/internal/stdiorpc"
)

// starts has Codex read its configuration: `codex features list`, the plainest command that does. With what it refuses
// every command of it ends with status 1 (0.169.0: a setting of the wrong type, one that is no longer supported, a
// server without a command). It is asked about a copy of config.toml, in the current folder, so that it reads the
// files of a project that is trusted. It connects to nothing (strace) and takes some 0.1 s.
func starts(ctx context.Context, env harnesses.Env, binary, dir string) error {
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
	_, said, status, err := stdiorpc.Run(ctx, stdiorpc.Program{Path: binary, Args: args, Dir: here(env), Env: quiet(env, dir)})
	if err != nil || status == 0 {
		return err
	}
	if !strings.Contains(string(said), cause) { // another version's, which may not know the command
		return fmt.Errorf("codex features list: exit status %d", status)
	}
	return harnesses.InvalidConfigError{Effect: "codex does not start with its configuration", Why: refusal(string(said), moved), Fatal: true}
}

// cause is what stands before the reason for which Codex refuses its configuration.
const cause = "Caused by:"

// refusal is what Codex says, without what it quotes: that may be a secret. Its sentence stands behind "Caused by:",
// and under it, where it is about a value, the value's place.
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
		return "it says nothing of why"
	}
	why = regexp.MustCompile(`"[^"]*"?`).ReplaceAllString(why, `"..."`)
	file, rest := "", why
	for copied, path := range moved { // what stands before is no secret, though it may look like one
		if after, ok := strings.CutPrefix(why, copied); ok {
			file, rest = path, after
		}
	}
	return file + stdiorpc.Redact(rest+place, nil)
}
