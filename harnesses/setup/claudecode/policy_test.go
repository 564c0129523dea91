package claudecode

import (
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func world(files map[string]string) setup.Env { return envtest.Memory(files, nil) }

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
