package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:embed files/preremove.sh
var preremove []byte

// content is a file of a package, in the configuration of nfpm.
type content struct {
	Src      string   `json:"src,omitempty"`
	Dst      string   `json:"dst"`
	Type     string   `json:"type,omitempty"`
	Packager string   `json:"packager,omitempty"`
	FileInfo fileInfo `json:"file_info"`
}

type fileInfo struct {
	Mode  int    `json:"mode"`
	MTime string `json:"mtime"`
	Owner string `json:"owner"`
	Group string `json:"group"`
}

// formats are the package managers, in nfpm's words.
var formats = []string{"deb", "rpm", "apk"}

// linuxPackages writes the packages of a platform. The files are below /usr, the program is /usr/bin/wsi.
func (r *release) linuxPackages(ctx context.Context, p platform, files tree, temp string) error {
	dir := filepath.Join(temp, "packages-"+p.arch)
	before := filepath.Join(dir, "preremove.sh")
	if err := writeFile(before, preremove, 0o755); err != nil {
		return err
	}
	if err := os.Chtimes(before, r.time, r.time); err != nil { // nfpm 2.44 puts the file's time into .apk
		return err
	}
	var contents []content
	for _, f := range files.sorted("") {
		src := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := writeFile(src, f.data, f.mode); err != nil {
			return err
		}
		c := content{Src: src, Dst: "/usr/" + f.name, FileInfo: r.info(f.mode)}
		contents = append(contents, placed(c)...)
	}
	for _, folder := range files.folders(docs) { // rpm does not remove a folder that no package has
		contents = append(contents, content{Dst: "/usr/" + folder, Type: "dir", FileInfo: r.info(0o755)})
	}
	// JSON is YAML, too.
	config, err := json.Marshal(map[string]any{
		"name": "wsi", "arch": p.arch, "version": r.version, "maintainer": r.Maintainer, "homepage": r.Homepage, "license": "MIT",
		"section": "utils", "priority": "optional", "mtime": r.time.Format(time.RFC3339),
		"description": "Carry an MCP server's opaque values between the calls of an agent's tools\n" +
			"wsi gives opaque values of MCP servers, such as session tokens, to the next\ntool call, so the model does not have to copy them. Begin with: wsi setup",
		"contents": contents,
		"scripts":  map[string]string{"preremove": before},
		"rpm":      map[string]string{"buildhost": "localhost", "summary": "Carry an MCP server's opaque values between the calls of an agent's tools"},
	})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "nfpm.yaml")
	if err := writeFile(file, config, 0o644); err != nil {
		return err
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	for _, format := range formats {
		env := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())
		if _, err := r.run(ctx, []string{env}, r.nfpm, "package", "--config", file, "--packager", format, "--target", out); err != nil {
			return fmt.Errorf("%s for %s: %w", format, p.arch, err)
		}
	}
	return nil
}

// info returns the owner, the time and the mode of a file or folder.
func (r *release) info(mode fs.FileMode) fileInfo {
	return fileInfo{Mode: int(mode), MTime: r.time.Format(time.RFC3339), Owner: "root", Group: "root"}
}

// placed returns where the package managers want a file that they do not want in the same place.
func placed(c content) []content {
	deb := c
	deb.Packager = "deb"
	switch {
	case strings.HasSuffix(c.Dst, "/_wsi"):
		deb.Dst = "/usr/share/zsh/vendor-completions/_wsi"
	case c.Dst == "/usr/"+docs+"LICENSE":
		deb.Dst = "/usr/" + docs + "copyright"
	default:
		return []content{c}
	}
	all := []content{deb}
	for _, format := range formats[1:] {
		c.Packager = format
		all = append(all, c)
	}
	return all
}
