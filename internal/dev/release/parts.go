package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// parts writes the list of what a program is made of, in the form CycloneDX 1.6, and returns the licenses of all of it, as
// most of them require. A module without one is an error.
func (r *release) parts(p platform, program string) (licenses []byte, err error) {
	lines, err := r.run(p.env(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/wsi")
	if err != nil {
		return nil, err
	}
	goes, err := r.run(p.env(), "go", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, root, _ := strings.Cut(strings.TrimPrefix(goes, "go"), "\n")
	folders := map[[2]string]string{{"std", version}: root}
	for line := range strings.Lines(lines) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			folders[[2]string(fields[:2])] = fields[2]
		}
	}
	text := bytes.NewBufferString("wsi is linked from the following works. Each is followed by its license.\n")
	var components []map[string]string
	for _, module := range slices.SortedFunc(maps.Keys(folders), func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) {
		purl := "pkg:golang/" + module[0] + "@" + module[1] // what databases of vulnerabilities know it by
		components = append(components, map[string]string{"type": "library", "bom-ref": purl, "purl": purl, "name": module[0], "version": module[1]})
		if err := appendLicenses(text, module[0]+" "+module[1], folders[module]); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	list, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components,
		"metadata": map[string]any{
			"timestamp": r.time.Format(time.RFC3339),
			"component": map[string]any{
				"type": "application", "bom-ref": "wsi", "name": "wsi", "version": r.version,
				"hashes": []any{map[string]string{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(data))}},
			},
			"properties": []any{map[string]string{"name": "wsi:commit", "value": r.commit}},
		},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	return text.Bytes(), r.write(fmt.Sprintf("wsi_%s_%s_%s.cdx.json", r.version, p.os, p.arch), list)
}

var isLicense = regexp.MustCompile(`(?i)^(licen|copying|notice)`)

// appendLicenses appends the license and notice files in the folder of a module.
func appendLicenses(text *bytes.Buffer, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	before := text.Len()
	for _, e := range entries {
		if e.IsDir() || !isLicense.MatchString(e.Name()) {
			continue
		}
		license, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), name, bytes.TrimSpace(license))
	}
	if text.Len() == before {
		return fmt.Errorf("%s has no license file", name)
	}
	return nil
}
