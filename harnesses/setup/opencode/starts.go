package opencode

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/stdiorpc"
)

// starts runs `opencode debug config` with copies of the files of the configuration: OpenCode checks each of them by itself. It makes
// no connection, starts no server, and writes its database and a log below the home folder, here dir (strace, 1.18.33). It takes about
// 1.6 s. A file that takes a text from another file or from a variable is left out: the copy could not.
func starts(ctx context.Context, env setup.Env, binary, dir string) error {
	var files []source
	for _, file := range sources(env, !alone(env)) {
		content, err := env.ReadFile(file.path)
		if err == nil && !bytes.Contains(content, []byte("{file:")) && !bytes.Contains(content, []byte("{env:")) {
			files = append(files, file)
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	own := filepath.Join(dir, ".config", "opencode")
	copies := []string{filepath.Join(own, "config.json"), filepath.Join(own, "opencode.json"), filepath.Join(own, "opencode.jsonc"), filepath.Join(dir, "named.json")}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	for some := range slices.Chunk(files, len(copies)) {
		moved := map[string]string{}
		for i, copied := range copies {
			content := []byte("{}")
			if i < len(some) {
				content, _ = env.ReadFile(some[i].path)
				moved[copied] = some[i].path
			}
			if err := os.WriteFile(copied, content, 0o600); err != nil {
				return err
			}
		}
		if err := ask(ctx, env, binary, dir, moved); err != nil {
			return err
		}
	}
	return nil
}

func ask(ctx context.Context, env setup.Env, binary, dir string, moved map[string]string) error {
	vars := append(env.Away(dir), "OPENCODE_CONFIG="+filepath.Join(dir, "named.json"), disableProject+"=1", pure+"=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1")
	_, err := env.Run(ctx, stdiorpc.Program{Path: binary, Args: []string{"debug", "config"}, Dir: dir, Env: vars})
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if why := refusal(string(failed.Stderr), moved); why != "" {
		return setup.InvalidConfigError{Effect: "OpenCode does not start with its configuration", Why: why, Fatal: true}
	}
	return err // another version may not know the command
}

// refusal returns what OpenCode says of a file that it refuses, "" if it says nothing of one. What it quotes of the file may be a
// secret and is left out.
func refusal(said string, moved map[string]string) string {
	said = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(said, "")
	first, rest, _ := strings.Cut(said, "\n")
	for copied, path := range moved {
		switch {
		case !strings.Contains(first, " "+copied+" ") && !strings.HasSuffix(first, " "+copied):
		case strings.Contains(first, "is not valid JSON"):
			if at := regexp.MustCompile(`(?m)^(\w+) at (line \d+, column \d+)$`).FindStringSubmatch(rest); at != nil {
				return path + ": " + at[2] + ": " + at[1]
			}
			return path + ": it is not valid JSON"
		case strings.Contains(first, "is invalid"):
			var all []string
			for _, line := range regexp.MustCompile(`(?m)^↳ (.*)$`).FindAllStringSubmatch(rest, -1) {
				want, found, quotes := strings.Cut(line[1], ", got ")
				if place := found[strings.LastIndexByte(found, ' ')+1:]; quotes && place != "" {
					want = place + ": " + want
				}
				all = append(all, want)
			}
			return path + ": " + strings.Join(all, "; ")
		}
	}
	return ""
}
