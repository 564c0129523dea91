//go:build unix

package receipts

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe does not block the reader, and a link leads it nowhere, but for that of the whole folder.
func TestNoRegularFiles(t *testing.T) {
	s := &transcript{session: "s", cwd: "/here"}
	s.call("1", "Bash")
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	folder, real := filepath.Join(t.TempDir(), "projects"), t.TempDir()
	for _, err := range []error{
		os.WriteFile(outside, []byte(strings.Join(s.lines, "\n")), 0o600),
		os.Symlink(real, folder),
		syscall.Mkfifo(filepath.Join(real, "pipe.jsonl"), 0o600),
		os.Symlink(outside, filepath.Join(real, "link.jsonl")),
		os.Symlink(filepath.Dir(outside), filepath.Join(real, "folder")),
		os.WriteFile(filepath.Join(real, "real.jsonl"), []byte(strings.Join(s.lines, "\n")), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := Read(folder, Question{Here: func(string) bool { return true }}); got.All.Tools["Bash"] == nil || len(got.All.Tools["Bash"].Times) != 1 {
		t.Errorf("%+v", got.All.Tools)
	}
}
