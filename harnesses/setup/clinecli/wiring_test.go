package clinecli

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// A file of an older wsi is recognized with any path and servers, and a file of others is not.
func TestOlderIsRecognized(t *testing.T) {
	moved := t.TempDir()
	env := envtest.New(t, nil, map[string]string{"CLINE_DIR": moved})
	for scope, dir := range map[setup.Scope]string{setup.User: moved, setup.Project: filepath.Join(env.Cwd, ".cline")} {
		w := older(env, scope)
		if len(w.Owned) != 2 || w.Owned[0].Path != filepath.Join(dir, "hooks", "PreToolUse.bash") || w.Owned[1].Path != filepath.Join(dir, "hooks", "PostToolUse.bash") {
			t.Errorf("%+v", w)
		}
	}
	wf := older(env, setup.User).Owned[0]
	const head = "#!/usr/bin/env bash\n" + mark + "\n"
	for _, line := range []string{"/usr/bin/wsi inject --harness cline-cli --server x", "'/opt/my tools/wsi' capture --harness cline-cli --server workflow-server --server b.c"} {
		content := head + "exec " + line + "\n"
		if _, marked := wf.Marked([]byte(content)); !wf.Ours([]byte(content)) || !marked || wf.Commands([]byte(content))[0] != line {
			t.Errorf("%s is not recognized", content)
		}
		edited := strings.Replace(content, "exec", "set -x\nexec", 1)
		if _, marked := wf.Marked([]byte(edited)); wf.Ours([]byte(edited)) || !marked || len(wf.Commands([]byte(edited))) != 1 {
			t.Error("an edited one is not recognized as edited")
		}
	}
	for _, foreign := range []string{"", "#!/bin/sh\nguard\n", "exec /a/wsi inject --harness codex\n"} {
		if _, marked := wf.Marked([]byte(foreign)); marked || wf.Ours([]byte(foreign)) || wf.Commands([]byte(foreign)) != nil {
			t.Errorf("%s is recognized", foreign)
		}
	}
}
