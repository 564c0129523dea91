package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Wine 8 answers FileDispositionInformationEx, a deletion as on POSIX, with STATUS_NOT_IMPLEMENTED. Package os goes on with an
// ordinary deletion only after STATUS_INVALID_INFO_CLASS, the answer of older Windows. So os.RemoveAll, with which each test
// ends, would fail ("Invalid function"). The tests are built with a copy of that file of the standard library in which both
// answers count. wsi.exe is built without it.
const (
	was = "\tcase STATUS_INVALID_INFO_CLASS,"
	is  = "\tcase NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,"
)

// overlay writes the changed file and returns the path of a file for go test -overlay.
func (w *wine) overlay(ctx context.Context) (string, error) {
	root, err := w.output(ctx, "", "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	original := filepath.Join(strings.TrimSpace(root), "src", "internal", "syscall", "windows", "at_windows.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if strings.Count(string(source), was) != 1 {
		return "", errors.New(original + " is not as expected: look whether os.RemoveAll still needs a change in Wine")
	}
	changed, list := w.path("at_windows.go"), w.path("overlay.json")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), was, is, 1)), 0o600); err != nil {
		return "", err
	}
	files, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	return list, os.WriteFile(list, files, 0o600)
}
