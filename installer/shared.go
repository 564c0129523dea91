package installer

import (
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer/edit"
)

// Two harnesses can have their servers in one file, which a link from one's place to the other's makes. A
// relay's line says which of them starts it, so that it can be right for one only: it belongs to that one,
// and the other is left as it is.

// serverFiles returns the files in which a harness has its servers. Relays in them are others' if they are
// for a harness that has its servers there as well; a line for any other one was copied.
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

// hasServersIn tells in which scope a harness has its servers in a file, if it does.
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

// ofOthers refuses a harness where wsi is in front of one of the servers for another harness already:
// wired beside that, by hooks or by a relay, neither would carry what it should.
func (w *workspace) ofOthers(h harnesses.Harness, servers []string) error {
	for _, file := range serverFiles(w.o.Env, h, w.o.Scope) {
		content := w.now(file.Path)
		if !mentionsRelay(content) {
			continue
		}
		found, err := edit.Servers(file, content)
		if err != nil {
			continue // who edits it says so
		}
		for _, s := range found {
			if !s.Others || !slices.Contains(servers, s.Name) {
				continue
			}
			other, _ := registry.Get(s.Front.Harness)
			scope, _ := hasServersIn(w.o.Env, other, file.Path)
			return Refusal{
				Path: file.Path, Err: fmt.Errorf("wsi is in front of %s there for %s, which has its servers in the same file", s.Name, other.Name),
				Hint: fmt.Sprintf("give %s a file of its own, or take wsi out for %s first: wsi remove --harness %s --scope %s", h.Name, other.Name, other.ID, scope),
			}
		}
	}
	return nil
}

// now is what the plan has made of a file so far, nil if it cannot be read.
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

// sharing tells of other harnesses that will start what a harness starts, for they have their servers in
// the same file.
func sharing(env harnesses.Env, h harnesses.Harness, fronts []Fronted) (notes []Note) {
	for _, other := range registry.All() {
		for _, f := range fronts {
			if _, in := hasServersIn(env, other, f.Path); !in || other.ID == h.ID {
				continue
			}
			notes = append(notes, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(
				"%s has its servers in the same file, %s: it will start wsi in front of %s as well, in the name of %s, and values may be missing there. Give it a file of its own.",
				other.Name, f.Path, f.Name, h.Name)})
			break
		}
	}
	return notes
}
