package clinecli

import (
	"bytes"
	"path/filepath"
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/envtest"
)

// A file of wsi is recognized with any path and servers, and a file of others is not.
func TestWiringIsRecognized(t *testing.T) {
	env := envtest.New(t, nil, nil)
	w, err := wiring(env, harnesses.User, harnesses.Program{Path: "/opt/my tools/wsi", Servers: []string{"workflow-server", "b.c"}})
	if err != nil || len(w.Owned) != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	other, err := wiring(env, harnesses.User, harnesses.Program{Path: "/usr/bin/wsi", Servers: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, event := range []string{"PreToolUse", "PostToolUse"} {
		wf, verb := w.Owned[i], []string{harnesses.Inject, harnesses.Capture}[i]
		if wf.Path != filepath.Join(env.Home, ".cline", "hooks", event+".bash") {
			t.Error(wf.Path)
		}
		for _, content := range [][]byte{wf.Content, other.Owned[i].Content} {
			_, marked := wf.Marked(content)
			lines := wf.Commands(content)
			if !wf.Ours(content) || !marked || len(lines) != 1 {
				t.Fatalf("%s: %q", content, lines)
			}
			if said, ok := harnesses.ParseCommand(lines[0]); !ok || said.Verb != verb {
				t.Errorf("%s", lines[0])
			}
		}
		edited := bytes.Replace(wf.Content, []byte("exec"), []byte("set -x\nexec"), 1)
		if _, marked := wf.Marked(edited); wf.Ours(edited) || !marked || len(wf.Commands(edited)) != 1 {
			t.Error("an edited one is not recognized as edited")
		}
		for _, foreign := range []string{"", "#!/bin/sh\nguard\n", "exec /a/wsi inject --harness codex\n"} {
			if _, marked := wf.Marked([]byte(foreign)); marked || wf.Ours([]byte(foreign)) || wf.Commands([]byte(foreign)) != nil {
				t.Errorf("%s is recognized", foreign)
			}
		}
	}
}

func TestWhereHooksAre(t *testing.T) {
	moved := t.TempDir()
	env := envtest.New(t, nil, map[string]string{"CLINE_DIR": moved})
	p := harnesses.Program{Path: "/usr/bin/wsi", Servers: []string{"workflow-server"}}
	for scope, dir := range map[harnesses.Scope]string{harnesses.User: moved, harnesses.Project: filepath.Join(env.Cwd, ".cline")} {
		if w, err := wiring(env, scope, p); err != nil || filepath.Dir(w.Owned[0].Path) != filepath.Join(dir, "hooks") {
			t.Errorf("%+v, %v", w, err)
		}
	}
	p.Servers = []string{"my server", "other", "my.server"}
	if _, err := wiring(env, harnesses.User, p); err == nil {
		t.Error("servers with equal names are accepted")
	}
}
