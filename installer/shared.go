package installer

import (
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer/edit"
)

// Two harnesses can register their servers in one file, if one path links to the other. A relay's command line
// names the harness that starts it, so it fits only that one; setup refuses the other.

// serverFiles returns the files in which a harness registers its servers. A relay in them belongs to another harness if
// that harness registers its servers in the same file; else its line was copied.
func serverFiles(env harnesses.Env, h harnesses.Harness, scope harnesses.Scope) []harnesses.ServerFile {
	if h.Registers == nil {
		return nil
	}
	files := h.Registers(at(env, h, scope), scope)
	for i := range files {
		files[i].Others = othersIn(env, h, files[i].Path)
	}
	return files
}

func othersIn(env harnesses.Env, h harnesses.Harness, path string) func(harnesses.RelayCommand) bool {
	return func(f harnesses.RelayCommand) bool {
		if f.Harness == h.ID {
			return false
		}
		other, ok := registry.Get(f.Harness)
		_, in := hasServersIn(env, other, path)
		return ok && in
	}
}

// hasServersIn reports whether a harness registers servers in a file, and in which scope.
func hasServersIn(env harnesses.Env, h harnesses.Harness, path string) (harnesses.Scope, bool) {
	for _, scope := range []harnesses.Scope{harnesses.User, harnesses.Project} {
		if h.Registers == nil {
			break
		}
		for _, file := range h.Registers(at(env, h, scope), scope) {
			if Same(env, file.Path, path) {
				return scope, true
			}
		}
	}
	return "", false
}

// ofOthers refuses a harness if another one already runs one of the servers through wsi relay from the same file:
// with both set up, neither would carry the right values.
func (w *workspace) ofOthers(h harnesses.Harness, servers []string) error {
	for _, file := range serverFiles(w.o.Env, h, w.o.Scope) {
		content := w.now(file.Path)
		if !mentionsRelay(content) {
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
			scope, _ := hasServersIn(w.o.Env, other, file.Path)
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
		if Same(w.o.Env, f.path, path) {
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
func sharing(env harnesses.Env, h harnesses.Harness, relays []WrappedServer) (notes []Note) {
	for _, other := range registry.All() {
		for _, f := range relays {
			if _, in := hasServersIn(env, other, f.Path); !in || other.ID == h.ID {
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
