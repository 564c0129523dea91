package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// archive is the archive of a platform.
type archive struct {
	platform

	Name   string
	Folder string // the one folder in it
	Sum    string // SHA-256
}

// archive writes the archive of a platform. Unpacked below a prefix such as ~/.local, without its first folder, it is
// an installed wsi.
func (r *release) archive(p platform, dir string) (archive, error) {
	a := archive{platform: p, Folder: fmt.Sprintf("wsi_%s_%s_%s", r.version, p.os, p.arch)}
	pack, suffix := tarball, ".tar.gz"
	if p.os == "windows" {
		pack, suffix = zipFile, ".zip"
	}
	data, err := pack(dir, a.Folder+"/", r.time)
	if err != nil {
		return a, err
	}
	a.Name, a.Sum = a.Folder+suffix, fmt.Sprintf("%x", sha256.Sum256(data))
	return a, r.write(a.Name, data)
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	return writeFile(filepath.Join(r.out, name), data)
}

// walk calls add for each file in a folder, in the order of their names, which have slashes.
func walk(dir string, add func(name string, mode fs.FileMode, data []byte) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(name), mode(path), data)
	})
}

// tarball returns the files in a folder as tar.gz. They belong to root, and all have the same time.
func tarball(dir, prefix string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := walk(dir, func(name string, mode fs.FileMode, data []byte) error {
		h := &tar.Header{Name: prefix + name, Mode: int64(mode), Size: int64(len(data)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	})
	if err == nil {
		err = w.Close()
	}
	return zipped(b.Bytes()), err
}

// zipFile returns the files in a folder as a zip archive.
func zipFile(dir, prefix string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	err := walk(dir, func(name string, mode fs.FileMode, data []byte) error {
		h := &zip.FileHeader{Name: prefix + name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(mode)
		into, err := w.CreateHeader(h)
		if err == nil {
			_, err = into.Write(data)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// zipped compresses data, without a name and a time.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return b.Bytes()
}

// checksums writes the SHA-256 of every file that was made, in the form that sha256sum --check reads.
func (r *release) checksums() error {
	var list bytes.Buffer
	err := walk(r.out, func(name string, _ fs.FileMode, data []byte) error {
		_, err := fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		return err
	}
	return r.write("SHA256SUMS", list.Bytes())
}
