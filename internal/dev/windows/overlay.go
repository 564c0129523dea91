package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// changes are made to files of the standard library, of which the tests are built with changed copies. wsi.exe is built without
// them.
var changes = []struct{ file, was, is string }{
	// Wine 8 answers FileDispositionInformationEx, a deletion as on POSIX, with STATUS_NOT_IMPLEMENTED. Package os goes on with an
	// ordinary deletion only after STATUS_INVALID_INFO_CLASS, the answer of older Windows. So os.RemoveAll, with which each test
	// ends, would fail ("Invalid function").
	{
		"internal/syscall/windows/at_windows.go",
		"\tcase STATUS_INVALID_INFO_CLASS,",
		"\tcase NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,",
	},
	// Of some ten thousand programs that the tests start, Wine 8 may lose one before its first instruction: CreateProcess says "Internal
	// error" (1359). Nothing of the program has run, so it is started again, once.
	{
		"syscall/exec_windows.go",
		"\tif err != nil {\n\t\treturn 0, 0, err\n\t}\n\tdefer CloseHandle(Handle(pi.Thread))\n",
		"\tif err == Errno(1359) {\n" +
			"\t\terr = CreateProcess(argv0p, argvp, sys.ProcessAttributes, sys.ThreadAttributes, willInheritHandles, flags, &envBlock[0], dirp, &si.StartupInfo, pi)\n\t}\n" +
			"\tif err != nil {\n\t\treturn 0, 0, err\n\t}\n\tdefer CloseHandle(Handle(pi.Thread))\n",
	},
}

// overlay writes the changed files and returns the path of a file for go test -overlay.
func (w *wine) overlay(ctx context.Context) (string, error) {
	root, err := w.output(ctx, "", "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	replaced := map[string]string{}
	for _, c := range changes {
		original := filepath.Join(strings.TrimSpace(root), "src", filepath.FromSlash(c.file))
		source, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		if strings.Count(string(source), c.was) != 1 {
			return "", errors.New(original + " is not as expected: look whether Wine still needs a change there")
		}
		replaced[original] = w.path(filepath.Base(c.file))
		if err := os.WriteFile(replaced[original], []byte(strings.Replace(string(source), c.was, c.is, 1)), 0o600); err != nil {
			return "", err
		}
	}
	list := w.path("overlay.json")
	files, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	return list, os.WriteFile(list, files, 0o600)
}
