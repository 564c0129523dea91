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

// npmName returns the name of the package that has the program of a platform, which is in the words of Node
// (process.platform and process.arch).
func (r *release) npmName(p platform) (name, os, cpu string) {
	os, cpu = strings.Replace(p.os, "windows", "win32", 1), strings.Replace(p.arch, "amd64", "x64", 1)
	return r.NPM + "-" + os + "-" + cpu, os, cpu
}

// npmProgram writes the npm package of one platform. It has only the program; npm installs it only on that platform.
func (r *release) npmProgram(p platform, program string, licenses []byte, dir string) error {
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name, os, cpu := r.npmName(p)
	return r.npmPackage(dir, map[string]any{
		"name": name, "description": fmt.Sprintf("The program of %s for %s %s", r.NPM, os, cpu),
		"os": []string{os}, "cpu": []string{cpu}, "preferUnplugged": true, // Yarn: the program must be a file
	}, map[string][]byte{
		p.exe():           data,
		"THIRD-PARTY.txt": licenses,
		"README.md":       fmt.Appendf(nil, "The program of [%s](https://www.npmjs.com/package/%s) for %s %s. Install that package.\n", r.NPM, r.NPM, os, cpu),
	})
}

// npmLauncher writes the npm package that users install. It asks npm for the package of the platform, and starts its
// program.
func (r *release) npmLauncher(dir string) error {
	programs := map[string]string{}
	for _, p := range all {
		name, _, _ := r.npmName(p)
		programs[name] = r.version
	}
	return r.npmPackage(dir, map[string]any{
		"name": r.NPM, "description": "Carry an MCP server's opaque values between the calls of an agent's tools",
		"bin": map[string]string{"wsi": "bin/wsi.js"}, "engines": map[string]string{"node": ">=16"}, "optionalDependencies": programs,
	}, map[string][]byte{
		"bin/wsi.js": launcher,
		"README.md":  []byte(strings.ReplaceAll(npmReadme, "NAME", r.NPM)),
	})
}

// npmPackage writes what npm pack would write, but the same bytes each time.
func (r *release) npmPackage(dir string, manifest map[string]any, files map[string][]byte) (err error) {
	manifest["version"], manifest["license"], manifest["homepage"], manifest["files"] = r.version, "MIT", r.Homepage, []string{"bin"}
	if files["package.json"], err = json.MarshalIndent(manifest, "", "  "); err != nil {
		return err
	}
	if files["LICENSE"], err = os.ReadFile(filepath.Join(r.source, "LICENSE")); err != nil {
		return err
	}
	for name, data := range files {
		if err := writeFile(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	packed, err := tarball(dir, "package/", r.time)
	if err != nil {
		return err
	}
	return r.write(npmFile(manifest["name"].(string), r.version), packed)
}

// npmFile returns the file name that npm pack gives to a package.
func npmFile(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}
