package claudecode

import (
	"io/fs"
	"path/filepath"
	"testing"

	"wsi/harnesses/setup"
)

func TestGitBash(t *testing.T) {
	const usual = `C:\Program Files\Git\bin\bash.exe`
	portable, own := filepath.Join("D", "git", "bin", "bash.exe"), filepath.Join("E", "bash.exe")
	for _, c := range []struct {
		name, variable string
		git            string // on the PATH
		there          []string
		want           string
	}{
		{"as installed", "", "", []string{usual}, usual},
		{"next to git", "", filepath.Join("D", "git", "cmd", "git.exe"), []string{portable}, portable},
		{"as installed, and another git", "", filepath.Join("D", "git", "cmd", "git.exe"), []string{usual, portable}, usual},
		{"where the variable says", own, "", []string{usual, own}, own},
		{"the variable is wrong", own, "", []string{usual}, usual},
		{"none", "", "", nil, "powershell"},
	} {
		env := setup.Env{
			GOOS:   "windows",
			Getenv: func(string) string { return c.variable },
			LookPath: func(name string) (string, error) {
				switch {
				case name == "powershell":
					return name, nil
				case name != "git" || c.git == "":
					return "", fs.ErrNotExist
				}
				return c.git, nil
			},
			Stat: func(path string) (bool, error) {
				for _, there := range c.there {
					if path == there {
						return false, nil
					}
				}
				return false, fs.ErrNotExist
			},
		}
		if got := (Simulator{}).Shell(env, "x"); got[0] != c.want || got[len(got)-1] != "x" {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
}
