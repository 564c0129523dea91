package setup_test

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func TestRepository(t *testing.T) {
	env := envtest.New(t, map[string]string{
		"main/.git/worktrees/wt/commondir": "../..\n", "main/.git/worktrees/wt/gitdir": "../../../../wt/.git\n", "main/sub/deep/x": "",
		"wt/.git": "gitdir: ../main/.git/worktrees/wt\r\n", "wt/sub/x": "",
		"forged/.git":                    "gitdir: ../main/.git/worktrees/wt\n",
		"bare.git/worktrees/b/commondir": "../..\n", "b/.git": "gitdir: ../bare.git/worktrees/b\n",
		"main/.git/modules/m/HEAD": "", "main/m/.git": "gitdir: ../.git/modules/m\n",
		"odd/.git": "what is this\n", "none/x": "",
	}, nil)
	for cwd, want := range map[string]setup.Repository{
		"main":          {Root: "main", Common: "main/.git"},
		"main/sub/deep": {Root: "main", Common: "main/.git"},
		"wt/sub":        {Root: "wt", Common: "main/.git", Linked: true, Main: "main"},
		"forged":        {Root: "forged", Common: "main/.git", Linked: true},
		"b":             {Root: "b", Common: "bare.git", Linked: true},
		"main/m":        {Root: "main/m", Common: "main/.git/modules/m"},
		"odd":           {Root: "odd", Common: "odd/.git"},
		"none":          {},
	} {
		env.Cwd = filepath.Join(env.Home, cwd)
		got, ok := env.Repository()
		for _, path := range []*string{&got.Root, &got.Common, &got.Main} {
			*path = filepath.ToSlash(strings.TrimPrefix(*path, env.Home+string(filepath.Separator)))
		}
		if got != want || ok != (want.Root != "") {
			t.Errorf("%s: %+v, %v", cwd, got, ok)
		}
	}
	env.Cwd = filepath.Join(env.Home, "main", "sub", "deep")
	if above := env.Above(); len(above) != 2 || above[0] != filepath.Dir(env.Cwd) || above[1] != filepath.Join(env.Home, "main") {
		t.Error(above)
	}
	env.Cwd = filepath.Join(env.Home, "none")
	if above := env.Above(); above != nil {
		t.Error(above)
	}
}
