// Package state knows where wsi keeps its files: the state folder, and what lies directly in it. It must not
// know what is in those files.
package state

import "path/filepath"

// The files and folders in the state folder. Their names are in users' state folders: they never change. A purge deletes all of them.
const (
	Vault     = "vault"         // folder: the values
	Callers   = "callers"       // folder: who made a call
	Schemas   = "schemas"       // folder: the arguments that servers' tools require
	Journal   = "journal.jsonl" // what each run did
	Rotated   = "journal.jsonl.1"
	Ledger    = "ledger.json" // what setup wrote
	Backups   = "backups"     // folder: the files as they were before
	Asked     = "asked.json"  // what harnesses' programs said of their settings files
	SetupLock = "lock"        // held by setup and remove
)

// Dir returns the folder of vault, journal, ledger and backups: $WSI_STATE_DIR, else
// $XDG_STATE_HOME/wsi, else the platform's place below home. It is "" if none of them is set.
func Dir(getenv func(string) string, home, goos string) string {
	if dir := getenv("WSI_STATE_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wsi")
	}
	if dir := getenv("LOCALAPPDATA"); goos == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "wsi")
	}
	switch {
	case !filepath.IsAbs(home):
		return ""
	case goos == "darwin":
		return filepath.Join(home, "Library", "Application Support", "wsi")
	case goos == "windows":
		return filepath.Join(home, "AppData", "Local", "wsi")
	default:
		return filepath.Join(home, ".local", "state", "wsi")
	}
}
