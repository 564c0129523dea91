package main

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"strings"
	"text/template"
)

//go:embed files/wsi.rb files/wsi.json
var templates embed.FS

// manifests writes the manifests of Homebrew (wsi.rb) and Scoop (wsi.json).
func (r *release) manifests(archives []archive, shared string) error {
	by := map[string]archive{}
	for _, a := range archives {
		by[a.os+"_"+a.arch] = a
	}
	var pages []string
	err := walk(shared, func(name string, _ fs.FileMode, _ []byte) error {
		if strings.HasPrefix(name, "share/man/") {
			pages = append(pages, name)
		}
		return nil
	})
	all := template.Must(template.ParseFS(templates, "files/*"))
	for _, name := range []string{"wsi.rb", "wsi.json"} {
		var b bytes.Buffer
		e := all.ExecuteTemplate(&b, name, map[string]any{
			"Version": r.version, "Homepage": r.Homepage, "Downloads": r.Downloads, "Archives": by, "Pages": pages,
		})
		err = errors.Join(err, e, r.write(name, b.Bytes()))
	}
	return err
}
