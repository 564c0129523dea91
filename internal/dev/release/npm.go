package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

var (
	//go:embed files/launcher.js
	launcher []byte
	//go:embed files/npm.md
	npmReadme string
)

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Files        []string          `json:"files"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // Yarn: the program must be a file
}

// npm returns the platform in the words of Node (process.platform and process.arch).
func (p platform) npm() (os, cpu string) {
	os, cpu = p.os, p.arch
	if os == "windows" {
		os = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return os, cpu
}

// npmName returns the name of the package that has the program of a platform.
func (r *release) npmName(p platform) string {
	os, cpu := p.npm()
	return r.NPM + "-" + os + "-" + cpu
}

// npmProgram writes the npm package of one platform. It has only the program; npm installs it only on that platform.
func (r *release) npmProgram(p platform, program, licenses []byte) error {
	os, cpu := p.npm()
	m := manifest{
		Name: r.npmName(p), Description: fmt.Sprintf("The program of %s for %s %s", r.NPM, os, cpu),
		OS: []string{os}, CPU: []string{cpu}, Files: []string{"bin"}, PreferUnplug: true,
	}
	return r.npmPackage(m, tree{
		{name: "bin/" + p.exe("wsi"), mode: 0o755, data: program},
		{name: "THIRD-PARTY.txt", mode: 0o644, data: licenses},
		{name: "README.md", mode: 0o644, data: fmt.Appendf(nil, "The program of [%s](https://www.npmjs.com/package/%s) for %s %s. Install that package.\n", r.NPM, r.NPM, os, cpu)},
	})
}

// npmLauncher writes the npm package that users install. It asks npm for the package of the platform, and starts its
// program.
func (r *release) npmLauncher() error {
	m := manifest{
		Name: r.NPM, Description: "Carry an MCP server's opaque values between the calls of an agent's tools",
		Bin: map[string]string{"wsi": "bin/wsi.js"}, Files: []string{"bin"}, Engines: map[string]string{"node": ">=16"},
		Optional: map[string]string{},
	}
	for _, p := range all {
		m.Optional[r.npmName(p)] = r.version
	}
	return r.npmPackage(m, tree{
		{name: "bin/wsi.js", mode: 0o755, data: launcher},
		{name: "README.md", mode: 0o644, data: []byte(strings.ReplaceAll(npmReadme, "NAME", r.NPM))},
	})
}

// npmPackage writes what npm pack would write, but the same bytes each time.
func (r *release) npmPackage(m manifest, files tree) error {
	m.Version, m.License, m.Homepage = r.version, "MIT", r.Homepage
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	files = append(files, file{name: "package.json", mode: 0o644, data: append(data, '\n')}, file{name: "LICENSE", mode: 0o644, data: license})
	packed, err := files.sorted("package/").tarball(r.time)
	if err != nil {
		return err
	}
	return r.write(npmFile(m.Name, r.version), packed)
}

// npmFile returns the file name that npm pack gives to a package.
func npmFile(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}
