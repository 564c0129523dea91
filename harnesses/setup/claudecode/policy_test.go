package claudecode

import (
	"io/fs"
	"strings"
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

func TestPolicy(t *testing.T) {
	for _, c := range []struct{ path, content, why string }{
		{"/home/u/.claude/settings.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		{"/proj/.claude/settings.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		{"/proj/.claude/settings.local.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		{"/proj/.claude/settings.json", `{"env":{"A":5},"disableAllHooks":true}`, "disableAllHooks"},
		{managedFiles(setup.Env{})[0].Path, `{"allowManagedHooksOnly":true}`, "allowManagedHooksOnly"},
		{"/home/u/.claude/settings.json", `{"disableAllHooks":false,"allowManagedHooksOnly":true}`, ""},
		{"/home/u/.claude/settings.json", `{"disableAllHooks":true,}`, ""},
	} {
		closed, err := hookPolicy(world(map[string]string{c.path: c.content}), setup.HookFile{}, nil)
		if err != nil || (closed == nil) != (c.why == "") || c.why != "" && !strings.Contains(closed[0].Why, c.why) {
			t.Errorf("%s %s: %v, %v", c.path, c.content, closed, err)
		}
	}
}

func TestPolicyOfTheAdministrator(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		env := world(map[string]string{managedFiles(setup.Env{GOOS: goos})[0].Path: `{"disableAllHooks":true}`})
		env.GOOS = goos
		closed, err := hookPolicy(env, setup.HookFile{}, nil)
		if err != nil || closed == nil || !strings.Contains(closed[0].Why, managedFiles(setup.Env{GOOS: goos})[0].Path) {
			t.Errorf("%s: %v, %v", goos, closed, err)
		}
	}
}

func TestPolicyOfBare(t *testing.T) {
	const simple = "CLAUDE_CODE_SIMPLE"
	for value, off := range map[string]bool{"": false, "0": false, "1": true, "true": true} {
		env := world(nil)
		env.Getenv = func(name string) string { return map[string]string{simple: value}[name] }
		if closed, err := hookPolicy(env, setup.HookFile{}, nil); err != nil || (closed != nil) != off {
			t.Errorf("%s=%s: %v, %v", simple, value, closed, err)
		}
	}
}

// A file that Claude Code ignores switches nothing off.
func TestPolicyOfAnIgnoredFile(t *testing.T) {
	env := world(map[string]string{"/proj/.claude/settings.json": `{"disableAllHooks":true,"cleanupPeriodDays":0}`})
	env.Asked = func(setup.Env, setup.Harness, []byte) (bool, setup.Answer) {
		return true, setup.Answer{Refused: &setup.InvalidConfigError{Place: "cleanupPeriodDays"}}
	}
	if closed, err := hookPolicy(env, setup.HookFile{}, nil); err != nil || closed != nil {
		t.Error(closed, err)
	}
}
