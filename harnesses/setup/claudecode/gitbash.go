package claudecode

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// gitBash returns the path of bash as Claude Code looks for it on Windows: where a variable says, in the folders in which Git
// for Windows is usually installed, and next to git (2.1.224, anthropics/claude-code issue 84822). The PATH does not help: Git's
// installer puts only git on it, and Windows has a bash.exe that starts Linux.
func gitBash(env setup.Env) (path string, ok bool) {
	if env.GOOS != "windows" {
		return "", false
	}
	places := []string{
		env.Getenv("CLAUDE_CODE_GIT_BASH_PATH"),
		`C:\Program Files\Git\bin\bash.exe`, `C:\Program Files (x86)\Git\bin\bash.exe`,
	}
	if env.LookPath != nil {
		if git, err := env.LookPath("git"); err == nil {
			places = append(places, filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "bash.exe"))
		}
	}
	for _, path := range places {
		if path != "" && env.Exists(path) && !env.IsDir(path) {
			return path, true
		}
	}
	return "", false
}
