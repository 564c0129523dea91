package installer

import (
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer/edit"
	"wsi/installer/inspect"
)

// ofOthers refuses a harness if another one already runs one of the servers through wsi relay from the same file:
// with both set up, neither would carry the right values.
func (w *workspace) ofOthers(h harnesses.Harness, servers []string) error {
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
			return Refusal{
				Path: file.Path, Err: fmt.Errorf("%s there already runs through wsi relay for %s, which reads the same file", s.Name, other.Name),
				Hint: fmt.Sprintf("give %s its own file, or remove wsi from %s first: wsi remove --harness %s --scope %s", h.Name, other.Name, other.ID, scope),
			}
		}
	}
	return nil
}

// now returns the content of a file with the changes so far, nil if it cannot be read.
func (w *workspace) now(path string) []byte {
	for _, f := range w.files {
		if inspect.Same(w.o.Env, f.path, path) {
			return f.after
		}
	}
	content, err := w.o.Env.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}

// sharing reports other harnesses that will start the same relays, because they read the same file.
func sharing(env harnesses.Env, h harnesses.Harness, relays []inspect.WrappedServer) (notes []Note) {
	for _, other := range registry.All() {
		for _, f := range relays {
			if _, in := inspect.ServersIn(env, other, f.Path); !in || other.ID == h.ID {
				continue
			}
			notes = append(notes, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(
				"%s reads the same file, %s: it will also start the relay of %s, which is for %s, and values may be missing there. Give it its own file.",
				other.Name, f.Path, f.Name, h.Name)})
			break
		}
	}
	return notes
}
