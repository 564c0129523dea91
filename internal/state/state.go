// Package state knows where wsi keeps its files. It must not know what is in them.
package state

import "path/filepath"

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
