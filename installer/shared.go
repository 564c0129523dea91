package installer

import (
	"fmt"
	"slices"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/refusal"
)

// ofOthers refuses a harness if another one already runs one of the servers through wsi relay from the same file:
// with both set up, neither would carry the right values.
func (w *workspace) ofOthers(h setup.Harness, servers []string) error {
	for _, file := range inspect.ServerFiles(w.o.Env, h, w.o.Scope) {
		content := w.now(file.Path)
		if !inspect.MentionsRelay(content) {
			continue
		}
		found, err := edit.Servers(file, content)
		if err != nil {
			continue // reported when it is edited
		}
		for _, s := range found {
			if !s.Others || !slices.Contains(servers, s.Name) {
				continue
			}
			other, _ := registry.Get(s.Relay.Harness)
			scope, _ := inspect.ServersIn(w.o.Env, other, file.Path)
			return refusal.Error{
				Path: file.Path, Err: fmt.Errorf("%s there already runs through wsi relay for %s, which reads the same file", s.Name, other.Name),
				Hint: fmt.Sprintf("give %s its own file, or remove wsi from %s first: wsi remove --harness %s --scope %s", h.Name, other.Name, other.ID, scope),
			}
		}
	}
	return nil
}
