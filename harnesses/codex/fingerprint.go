package codex

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"path/filepath"
	"strings"

	"wsi/harnesses"
)

// When a plugin's hook was approved, Codex 0.169.0 keeps a hash of all files of the plugin, in .hook-trust in CODEX_HOME, and
// does not run it once they have changed. If there is no such hash, it takes the present one.

// changed returns why Codex skips the approved hooks of a plugin, "" if it runs them.
func (p plugin) changed(env harnesses.Env) string {
	now, err := p.fingerprint(env)
	if err != nil {
		return "Codex skips the hooks of the plugin " + p.id + ": " + err.Error()
	}
	config, err := canonical(env, userConfig(env))
	if err != nil {
		return ""
	}
	name := sha256.New()
	write(name, config)
	write(name, p.id)
	then, err := env.ReadFile(filepath.Join(locate(env).ConfigHome, ".hook-trust", hex.EncodeToString(name.Sum(nil))))
	if err != nil || strings.TrimSpace(string(then)) == now {
		return ""
	}
	return "the plugin " + p.id + " has changed since it was approved, so Codex skips its hooks silently"
}

// fingerprint returns Codex's hash of the files of a plugin.
func (p plugin) fingerprint(env harnesses.Env) (string, error) {
	all := sha256.New()
	all.Write([]byte("codex-plugin-bundle-v1"))
	if err := fingerprint(env, all, env.Resolved(p.root), ""); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), nil
}

// fingerprint adds a file or a folder with all that is in it. Folders are in the order of names.
func fingerprint(env harnesses.Env, to hash.Hash, root, name string) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	isDir, err := env.Stat(path)
	switch {
	case err != nil || env.Resolved(path) != path:
		return errors.New("it contains a link, " + path)
	case !isDir:
		content, err := env.ReadFile(path)
		if err != nil {
			return err
		}
		write(to, name)
		to.Write([]byte("file"))
		write(to, string(content))
		return nil
	}
	write(to, name)
	to.Write([]byte("directory"))
	for _, one := range env.Names(path) {
		if name != "" {
			one = name + "/" + one
		}
		if err := fingerprint(env, to, root, one); err != nil {
			return err
		}
	}
	return nil
}

// write adds a text with its length.
func write(to hash.Hash, text string) {
	to.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	to.Write([]byte(text))
}
