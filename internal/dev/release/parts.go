package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// modules returns the modules that a program is linked from, without wsi itself, sorted by path.
func modules(program []byte) (*debug.BuildInfo, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, err
	}
	for i, m := range info.Deps {
		if m.Replace != nil {
			info.Deps[i] = m.Replace
		}
	}
	slices.SortFunc(info.Deps, func(a, b *debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	return info, nil
}

// part is a component of a bill of materials in the form CycloneDX 1.6.
type part struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref,omitempty"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// parts writes the list of what a program is made of: the modules that the Go linker recorded in it, and the standard
// library.
func (r *release) parts(p platform, program []byte) error {
	info, err := modules(program)
	if err != nil {
		return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
	}
	sum := sha256.Sum256(program)
	type metadata struct {
		Timestamp  string     `json:"timestamp"`
		Component  part       `json:"component"`
		Properties []property `json:"properties"`
	}
	list := struct {
		Format     string   `json:"bomFormat"`
		Spec       string   `json:"specVersion"`
		Version    int      `json:"version"`
		Metadata   metadata `json:"metadata"`
		Components []part   `json:"components"`
	}{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{
			Timestamp:  r.time.Format(time.RFC3339),
			Component:  part{Type: "application", Ref: "wsi", Name: "wsi", Version: r.version, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}},
			Properties: []property{{"wsi:commit", r.commit}, {"wsi:platform", p.os + "/" + p.arch}},
		},
		Components: []part{library("std", strings.TrimPrefix(info.GoVersion, "go"))},
	}
	for _, m := range info.Deps {
		list.Components = append(list.Components, library(m.Path, m.Version))
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("wsi_%s_%s_%s.cdx.json", r.version, p.os, p.arch), append(data, '\n'))
}

// library returns a Go module as a part. Its PURL is what databases of vulnerabilities know it by.
func library(path, version string) part {
	purl := "pkg:golang/" + path + "@" + version
	return part{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
}

// licenses returns the licenses of everything that is linked into a program, as most of them require. A module without one
// is an error.
func (r *release) licenses(ctx context.Context, p platform, program []byte) ([]byte, error) {
	info, err := modules(program)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
	}
	root, err := r.run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"Go " + strings.TrimPrefix(info.GoVersion, "go"): strings.TrimSpace(string(root))}
	for _, m := range info.Deps {
		out, err := r.run(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		folders[m.Path+" "+m.Version] = strings.TrimSpace(string(out))
	}
	var all bytes.Buffer
	all.WriteString("wsi is linked from the following works. Each is followed by its license.\n")
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		texts, err := licenseFiles(folders[name])
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no license file", name)
		}
		for _, text := range texts {
			fmt.Fprintf(&all, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), name, bytes.TrimSpace(text))
		}
	}
	return all.Bytes(), nil
}

// licenseFiles returns the license and notice files in the folder of a module.
func licenseFiles(dir string) (texts [][]byte, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}
