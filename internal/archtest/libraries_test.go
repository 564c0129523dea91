package archtest

import (
	"slices"
	"strings"
	"testing"
)

// The libraries that the program must use, and the packages that may: all others use what these make of it.
var libraries = map[string][]string{
	"charm.land/bubbletea/v2":         {"cmd/wsi", "installer/wizard", "doctor/console", "internal/tui"},
	"charm.land/lipgloss/v2":          {"internal/tui"},
	"github.com/pelletier/go-toml/v2": {"hook/rules", "installer/edit", "harnesses/setup/...", "doctor/live"},
	"github.com/tidwall/sjson":        {"internal/jsonraw"},
	"github.com/tidwall/gjson":        {"internal/jsonraw"},
}

func TestLibrariesAreUsed(t *testing.T) {
	all := list(t, "linux")
	i := slices.IndexFunc(all, func(p pkg) bool { return p.ImportPath == module+"cmd/wsi" })
	shipped := append(slices.Clone(all[i].Deps), module+"cmd/wsi")
	for library, users := range libraries {
		used := false
		for _, p := range all {
			if !slices.Contains(shipped, p.ImportPath) || !strings.HasPrefix(p.ImportPath, module) || !slices.Contains(p.Imports, library) {
				continue
			}
			used = true
			name := strings.TrimPrefix(p.ImportPath, module)
			if !slices.ContainsFunc(users, func(pattern string) bool { return match(pattern, name) }) {
				t.Errorf("%s imports %s, and may not", name, library)
			}
		}
		if !used {
			t.Errorf("no package of the program imports %s", library)
		}
	}
}
