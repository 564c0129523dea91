// Package schemas keeps which arguments some tools of a server require, as its list of tools had them: those that no rule
// names. Hooks are shown calls, but no schemas, and a harness may restart a relay without asking for the list again.
//
// It must not know rules or values.
package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/jsonraw"
	"wsi/internal/plainfile"
	"wsi/internal/rename"
	"wsi/internal/state"
)

// Folder has a file for each server with such tools: a JSON object that has, by tool, an array of the arguments that the
// tool requires.
type Folder struct {
	Dir string
}

// In returns the folder in a state folder.
func In(dir string) Folder { return Folder{filepath.Join(dir, state.Schemas)} }

// maxFile is the size from which on a list is not kept. 200 tools with three arguments each have 15 kB.
const maxFile = 256 << 10

func (f Folder) path(harness, server string) string {
	name := harness + "." + strings.ToLower(harnesses.SafeName(server, harnesses.Word))
	return filepath.Join(f.Dir, name+".json")
}

// Tool is a tool with its input schema, which is raw JSON.
type Tool struct {
	Name   string
	Schema []byte
}

// Write keeps tools of a server, in place of those that were kept before. Without tools it deletes the file.
func (f Folder) Write(harness, server string, tools []Tool) error {
	path := f.path(harness, server)
	if len(tools) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the server's tools: %w", err)
		}
		return nil
	}
	arguments := map[string][]string{}
	for _, t := range tools {
		if required := Required(t.Schema); len(required) > 0 {
			arguments[t.Name] = required
		}
	}
	content, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	if now, err := plainfile.Read(path); len(content) > maxFile || err == nil && bytes.Equal(now, content) {
		return nil
	}
	if err := rename.Write(path, content); err != nil {
		return fmt.Errorf("save the server's tools: %w", err)
	}
	return nil
}

// Read returns the arguments that a tool requires, by the name that a harness gives it: nil if that is not known.
func (f Folder) Read(harness, server, tool string) (required []string) {
	raw, err := plainfile.Read(f.path(harness, server))
	if err != nil || len(raw) > maxFile {
		return nil // the server was not asked
	}
	tools, _ := jsonraw.Object(raw) // none if it is damaged
	for _, t := range tools {
		if name, ok := jsonraw.Unquote(t.Key); ok && carry.Same(name, tool) {
			return texts(t.Value)
		}
	}
	return nil
}

// Required returns the arguments that an input schema has and requires.
func Required(schema []byte) []string {
	members, _ := jsonraw.Object(schema) // an invalid schema requires nothing
	properties, _ := jsonraw.Object(members.Get("properties"))
	return slices.DeleteFunc(texts(members.Get("required")), func(name string) bool { return properties.Get(name) == nil })
}

func texts(array []byte) (all []string) {
	elements, _ := jsonraw.Array(array) // none if it is no array
	for _, raw := range elements {
		if s, ok := jsonraw.Unquote(raw); ok {
			all = append(all, s)
		}
	}
	return all
}
