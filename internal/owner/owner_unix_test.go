//go:build unix

package owner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	if os.Geteuid() != 0 {
		if err := Check("/etc/passwd"); err != nil {
			t.Errorf("not root: %v", err)
		}
		t.Skip("only root can make files of others")
	}
	dir := t.TempDir()
	mine, theirs := filepath.Join(dir, "mine"), filepath.Join(dir, "theirs")
	for _, d := range []string{mine, theirs} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(mine, "link")
	err := errors.Join(os.WriteFile(filepath.Join(theirs, "roots"), nil, 0o600), os.Chown(theirs, 65534, 65534), os.Symlink(theirs, link))
	if err != nil {
		t.Fatal(err)
	}
	for path, another := range map[string]string{
		mine: "", filepath.Join(mine, "a/b/c"): "", "/": "",
		theirs: theirs, filepath.Join(theirs, "a/b/c"): theirs, filepath.Join(link, "a"): link,
		filepath.Join(theirs, "roots"): "", // root owns it already
	} {
		err := Check(path)
		var a Another
		if another == "" && err != nil || another != "" && (!errors.As(err, &a) || a.Path != another || a.User == "") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
