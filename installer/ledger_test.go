package installer

import (
	"path/filepath"
	"strings"
	"testing"
)

// With lost or damaged backups, remove still keeps everything that is not wsi's.
func TestLostBackups(t *testing.T) {
	for name, harm := range map[string]func(m memory, path string){
		"lost":    func(m memory, path string) { delete(m, path) },
		"damaged": func(m memory, path string) { m.put(path, "{") },
		"folder":  func(m memory, path string) { delete(m, path); m.put(filepath.Join(path, "x"), "") },
	} {
		o, m := inMemory(messy)
		before := m.clone()
		mustApply(t, PlanSetup, o)
		for path := range m.clone() {
			if filepath.Dir(path) == filepath.Join(o.StateDir, "backups") {
				harm(m, path)
			}
		}
		mustApply(t, PlanRemove, o)
		for path := range messy {
			at := filepath.Join(home(), path)
			if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".toml") {
				if why := beyond(meaningOf(t, at, before), meaningOf(t, at, m), path); why != "" {
					t.Errorf("%s: %s", name, why)
				}
			}
		}
	}
}
