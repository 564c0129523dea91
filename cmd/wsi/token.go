package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"wsi/hook/carry"
	"wsi/hook/vault"
	"wsi/internal/atomicfile"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

func newTokenCmd(e env) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "token ALIAS --file FILE",
		Short: "Write the value of an alias into a file",
		Long: `With aliases switched on (docs/rules.md), a model sees an alias such as
wsi:b8bd-3k3v instead of a value, and may write it into a file. Token replaces
the alias with the value everywhere in FILE, and changes nothing else.
If FILE does not exist, token creates it with the value on one line, readable
only by you. The value is never shown.`,
		Example: "  wsi token wsi:b8bd-3k3v --file plans/.session-token",
		RunE: func(_ *cobra.Command, args []string) error {
			switch how := "wsi token ALIAS --file FILE"; {
			case len(args) != 1:
				return usage(how, "got %d arguments, want 1", len(args))
			case file == "":
				return usage(how, "--file is missing: a value is never shown")
			}
			return writeToken(e, args[0], file)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "`file` to write")
	return cmd
}

func writeToken(e env, typed, file string) error {
	alias, ok := carry.CheckAlias(typed)
	if !ok {
		return failed("copy the alias again; it is like wsi:b8bd-3k3v", "invalid or mistyped alias %q", typed)
	}
	path := e.abs(file)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := e.mayWrite("token", path); err != nil {
		return err
	}
	value, err := valueOf(e, alias)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.Write(path, []byte(value+"\n"), 0o600); err != nil {
			return err
		}
		return e.say("wrote the value of %s into %s, readable only by you", alias, e.path(file))
	}
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	const hint = "name a file that holds the alias, or a new file"
	if !info.Mode().IsRegular() { // opening a pipe could block forever
		return failed(hint, "%s: not a regular file", e.path(file))
	}
	text, err := plainfile.Read(path)
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	n := bytes.Count(text, []byte(alias))
	if n == 0 {
		return failed(hint, "%s exists and does not contain %s, so nothing was written", e.path(file), alias)
	}
	if err := atomicfile.Write(path, bytes.ReplaceAll(text, []byte(alias), []byte(value)), info.Mode().Perm()); err != nil {
		return err
	}
	_ = e.say("replaced %s with its value in %s, %s", alias, e.path(file), phrase.Count(n, "time"))
	if info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(e.Stdout, "other users of this machine can read that file: chmod 600 %s\n", e.path(file))
	}
	return nil
}

// valueOf returns the value of an alias. It searches all sessions.
func valueOf(e env, alias string) (string, error) {
	found := ""
	for _, s := range (vault.Vault{Dir: filepath.Join(e.StateDir, state.Vault)}).Others("", "", math.MaxInt) {
		value := cmp.Or(s.Aliased("", alias), found)
		if found != "" && value != found {
			return "", failed("use a newer alias", "%s has more than one value", alias)
		}
		found = value
	}
	if found == "" {
		return "", failed("wsi keeps only the newest values of a session; use the newest alias", "no stored value for %s", alias)
	}
	return found, nil
}
