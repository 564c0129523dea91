package claudecode

import (
	"io/fs"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func world(files map[string]string) setup.Env {
	return setup.Env{
		Home: envtest.Path("/home/u"), Cwd: envtest.Path("/proj"), GOOS: "linux", Getenv: func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat: func(path string) (bool, error) {
			if _, ok := files[path]; ok {
				return false, nil
			}
			return false, fs.ErrNotExist
		},
		ReadFile: func(path string) ([]byte, error) {
			if content, ok := files[path]; ok {
				return []byte(content), nil
			}
			if content, ok := files[envtest.Posix(path)]; ok {
				return []byte(content), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

// A file that Claude Code ignores switches nothing off.
func TestPolicyOfAnIgnoredFile(t *testing.T) {
	env := world(map[string]string{"/proj/.claude/settings.json": `{"disableAllHooks":true,"cleanupPeriodDays":0}`})
	env.Asked = func(setup.Env, setup.Harness, []byte) (bool, setup.Answer) {
		return true, setup.Answer{Refused: &setup.InvalidConfigError{Place: "cleanupPeriodDays"}}
	}
	if closed := switchedOff(env, setup.OfUser); closed != nil {
		t.Error(closed)
	}
}
