package main

import (
	"bytes"
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
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

func newTokenCmd(e env) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "token ALIAS --file FILE",
		Short: "Write the value that an alias stands for into a file",
		Long: `With aliases switched on (docs/rules.md) a model reads wsi:b8bd-3k7q where a server wrote
a token, and may write that into a file of its own. Token puts the value there: every
occurrence of the alias in FILE is replaced, and nothing else; a file that does not
exist is made, with the value on its one line, readable by you alone. The value is
written nowhere else and never shown.`,
		Example: "  wsi token wsi:b8bd-3k7q --file plans/.session-token",
		Args:    exactly(1, "wsi token ALIAS --file FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if file == "" {
				return usage("wsi token ALIAS --file FILE", "no file is named: a value is never shown")
			}
			return writeToken(e, args[0], file)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "where to write it")
	return cmd
}

func exactly(n int, use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(use, "%d arguments instead of %d", len(args), n)
		}
		return nil
	}
}

func writeToken(e env, typed, file string) error {
	alias, ok := carry.CheckAlias(typed)
	if !ok {
		return failure{err: fmt.Errorf("%q is no alias, or a mistyped one", typed), hint: "copy it from where it is shown: wsi: and eight characters", exit: 1}
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Cwd, path)
	}
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
		fmt.Fprintf(e.Stdout, "wrote the value of %s into %s, readable by you alone\n", alias, e.path(file))
		return nil
	}
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return failure{err: fmt.Errorf("%s is no regular file", e.path(file)), hint: "name a file that holds the alias, or one that does not exist yet", exit: 1}
	}
	text, err := plainfile.Read(path)
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	n := bytes.Count(text, []byte(alias))
	if n == 0 {
		return failure{
			err:  fmt.Errorf("%s is there and does not mention %s, so nothing was written", e.path(file), alias),
			hint: "name a file that holds the alias, or one that does not exist yet", exit: 1,
		}
	}
	if err := atomicfile.Write(path, bytes.ReplaceAll(text, []byte(alias), []byte(value)), info.Mode().Perm()); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "replaced %s by its value in %s, %s\n", alias, e.path(file), times(n))
	if info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(e.Stdout, "others on this machine can read that file: chmod 600 %s\n", e.path(file))
	}
	return nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// valueOf looks for the value of an alias in everything that is kept.
func valueOf(e env, alias string) (string, error) {
	found := ""
	for _, s := range (vault.Vault{Dir: filepath.Join(e.StateDir, state.Vault)}).Others("", "", math.MaxInt) {
		value := s.Aliased("", alias)
		if value != "" && found != "" && value != found {
			return "", failure{err: fmt.Errorf("%s stands for more than one value", alias), hint: "use a newer one", exit: 1}
		}
		if value != "" {
			found = value
		}
	}
	if found == "" {
		return "", failure{err: fmt.Errorf("%s stands for no value that is kept", alias), hint: "only the newest of a session are; use the one that was shown last", exit: 1}
	}
	return found, nil
}
