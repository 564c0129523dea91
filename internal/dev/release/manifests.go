package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"
)

//go:embed files/cask.rb.tmpl
var caskTemplate string

// cask writes the manifest for Homebrew.
func (r *release) cask(archives []archive, shared tree) error {
	sums := map[string]string{}
	for _, a := range archives {
		sums[a.os+"_"+a.arch] = a.sum
	}
	var pages []string
	for _, f := range shared.sorted("") {
		if strings.HasPrefix(f.name, "share/man/") {
			pages = append(pages, f.name)
		}
	}
	var b bytes.Buffer
	err := template.Must(template.New("cask").Parse(caskTemplate)).Execute(&b, map[string]any{
		"Version": r.version, "Homepage": r.Homepage, "Downloads": r.Downloads, "Sums": sums, "Pages": pages,
	})
	if err != nil {
		return err
	}
	return r.write("wsi.rb", b.Bytes())
}

// scoop writes the manifest for Scoop.
func (r *release) scoop(archives []archive) error {
	type download struct {
		URL    string `json:"url"`
		Hash   string `json:"hash"`
		Folder string `json:"extract_dir"`
	}
	systems := map[string]download{}
	for _, a := range archives {
		if a.os == "windows" {
			name := map[string]string{"amd64": "64bit", "arm64": "arm64"}[a.arch]
			systems[name] = download{URL: r.Downloads + "/" + a.name, Hash: a.sum, Folder: a.folder}
		}
	}
	data, err := json.MarshalIndent(struct {
		Version      string              `json:"version"`
		Description  string              `json:"description"`
		Homepage     string              `json:"homepage"`
		License      string              `json:"license"`
		Architecture map[string]download `json:"architecture"`
		Bin          string              `json:"bin"`
		Notes        []string            `json:"notes"`
	}{
		Version: r.version, Description: "Carry an MCP server's opaque values between the calls of an agent's tools",
		Homepage: r.Homepage, License: "MIT", Architecture: systems, Bin: `bin\wsi.exe`,
		Notes: []string{"Begin with: wsi setup", "Before you uninstall wsi, run: wsi remove"},
	}, "", "    ")
	if err != nil {
		return err
	}
	return r.write("wsi.json", append(data, '\n'))
}
