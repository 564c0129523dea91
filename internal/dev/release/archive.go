package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tree is a set of files below a prefix such as /usr.
type tree []file

// file is a file of a package. Its name has slashes and no folder above the prefix.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// sorted returns the files by name, each in a folder.
func (t tree) sorted(folder string) tree {
	var moved tree
	for _, f := range t {
		f.name = folder + f.name
		moved = append(moved, f)
	}
	slices.SortFunc(moved, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return moved
}

// folders returns the folders of the files below a prefix, sorted. Both end with a slash.
func (t tree) folders(prefix string) (all []string) {
	for _, f := range t {
		for dir := path.Dir(f.name) + "/"; strings.HasPrefix(dir, prefix); dir = path.Dir(path.Clean(dir)) + "/" {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tarball returns the files as tar.gz. They belong to root, and all have the same time.
func (t tree) tarball(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range t {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return zipped(b.Bytes()), err
}

// zip returns the files as a zip archive.
func (t tree) zip(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range t {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode)
		into, err := w.CreateHeader(h)
		if err == nil {
			_, err = into.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// archive is the archive of a platform.
type archive struct {
	platform
	name   string
	folder string // the one folder in it
	sum    string // SHA-256
}

// archive writes the archive of a platform. Unpacked below a prefix such as ~/.local, without its first folder, it is
// an installed wsi.
func (r *release) archive(p platform, files tree) (archive, error) {
	a := archive{platform: p, folder: fmt.Sprintf("wsi_%s_%s_%s", r.version, p.os, p.arch)}
	pack, suffix := tree.tarball, ".tar.gz"
	if p.os == "windows" {
		pack, suffix = tree.zip, ".zip"
	}
	data, err := pack(files.sorted(a.folder+"/"), r.time)
	if err != nil {
		return a, err
	}
	a.name = a.folder + suffix
	sum := sha256.Sum256(data)
	a.sum = hex.EncodeToString(sum[:])
	return a, r.write(a.name, data)
}

// checksums writes the SHA-256 of every file that was made, in the form that sha256sum --check reads.
func (r *release) checksums() error {
	names, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, entry := range names {
		f, err := os.Open(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sum.Sum(nil), entry.Name())
	}
	return r.write("SHA256SUMS", list.Bytes())
}
