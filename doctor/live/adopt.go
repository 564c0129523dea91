package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"wsi/doctor"
	"wsi/installer/files"
)

// adopt copies a user's registration into the rig: only what concerns hooks, with those of other programs disabled.
func (r *Rig) adopt(c doctor.LiveCase) error {
	r.copies = map[string]string{}
	for _, f := range c.Files {
		copied, ok := r.placeOf(c, f.Path)
		if !ok || f.Content == nil {
			continue
		}
		r.copies[f.Path] = copied
		r.copies[filepath.Join(c.Env.Resolved(filepath.Dir(f.Path)), filepath.Base(f.Path))] = copied // approvals may name it so
	}
	for _, f := range c.Files {
		if copied, ok := r.copies[f.Path]; ok {
			runs := func(line string) bool { return c.May != nil && c.May(f, line) }
			if err := r.driver.adopt(r, copied, f, runs); err != nil {
				return err
			}
		}
	}
	if len(c.Rules) == 0 {
		return nil
	}
	return r.write(".config/wsi/rules.toml", string(c.Rules))
}

func (r *Rig) placeOf(c doctor.LiveCase, path string) (string, bool) {
	presence, _ := c.Harness.Find(c.Env) // its errors have been reported
	root, main := c.Env.Cwd, ""
	if repository, ok := c.Env.Repository(); ok {
		root, main = repository.Root, repository.Main // Codex takes hooks from the main working tree
	}
	for _, place := range []struct{ from, to string }{
		{presence.ConfigHome, filepath.Join(r.Home, r.driver.configHome())},
		{root, r.root},
		{main, r.root},
		{c.Env.Home, r.Home},
	} {
		if place.from == "" {
			continue
		}
		if rest, err := filepath.Rel(place.from, path); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(place.to, rest), true
		}
	}
	return "", false
}

// inProject puts the rig's folder into a repository if the user's is in one.
func (r *Rig) inProject(c doctor.LiveCase) error {
	r.root, r.user = r.Work, c.Env.Home
	r.folders = map[string]string{c.Env.Cwd: r.Work}
	repository, ok := c.Env.Repository()
	if !ok {
		return nil
	}
	rest, in := files.Within(repository.Root, c.Env.Cwd)
	if !in {
		return nil // then its files are not in the repository
	}
	r.Work = filepath.Join(r.root, rest)
	r.folders = map[string]string{c.Env.Cwd: r.Work, repository.Root: r.root, repository.Main: r.root}
	err := errors.Join(os.MkdirAll(r.Work, 0o700), r.put(filepath.Join(r.root, ".git", "HEAD"), []byte("ref: refs/heads/main\n")))
	for _, dir := range []string{"objects", "refs"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(r.root, ".git", dir), 0o700))
	}
	return err
}

func (r *Rig) put(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// members returns the members of a JSON object. Of duplicate names the last counts, as in JavaScript.
func members(content []byte) (object, bool) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	var doc object
	if d.Decode(&doc) != nil || doc == nil || d.More() {
		return nil, false
	}
	return doc, true
}

// unreadable replaces a file that cannot be parsed: no harness can read it.
const unreadable = "{"

// without returns hooks in which nothing does anything but the commands of wsi's that runs lets run. All else is
// as it was, so that the harness makes of the file what it makes of the user's.
func without(hooks any, runs func(line string) bool) any {
	switch v := hooks.(type) {
	case map[string]any:
		switch kind, typed := v["type"]; {
		case kind == "http", kind == "prompt", kind == "agent", kind == "mcp_tool":
			return object{"type": "command", "command": "true"}
		case typed && kind != "command": // of another version, or a slip for which the file is dropped
			return object{"type": kind}
		}
		if line, _ := v["command"].(string); runs(line) {
			return v
		}
		for name, inner := range v {
			if _, is := inner.(string); is && strings.HasPrefix(name, "command") {
				v[name] = "true"
			} else {
				v[name] = without(inner, runs)
			}
		}
		delete(v, "args")
	case []any:
		for i, inner := range v {
			v[i] = without(inner, runs)
		}
	}
	return hooks
}
