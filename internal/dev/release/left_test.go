//go:build release

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wsi/doctor/live"
	"wsi/internal/refserver"
	"wsi/internal/testkit/npmtest"
)

// If the package is removed and wsi is still registered, real harnesses go on: all calls are made, as the model made
// them. TestBrokenHooksAreSeen of doctor/live tests more harnesses with a missing program.
func TestHarnessesGoOn(t *testing.T) {
	needsLinux(t)
	needs(t, "dpkg")
	needs(t, "npm")
	if host.arch != "amd64" {
		t.Skip("NOT TESTED HERE: the lockfiles of the harnesses are for Linux x64")
	}
	scenario := live.Proof{
		Scripts: live.Scripts{"calls": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "get_activity", Args: `{}`}},
		}},
		Runs: []string{"calls"},
	}
	for _, h := range []struct{ id, version, binary string }{
		{"claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude"},
		{"codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex"},
	} {
		t.Run(h.id, func(t *testing.T) {
			modules := npmtest.Install(t, filepath.Join("..", "..", "..", "doctor", "live", "testdata", "npm", h.id+"-"+h.version))
			found, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(h.binary)))
			if err != nil || len(found) == 0 {
				t.Fatalf("npm installed no %s (%v)", h.binary, err)
			}
			server := filepath.Join(t.TempDir(), "wsi")
			unpackFile(t, made(t, newer).path(t, "wsi_*_linux_amd64.tar.gz"), "bin/wsi", server)
			system := dpkgRoot(t, filepath.Join(t.TempDir(), "system"))
			dpkg := []string{"--root=" + system, "--force-not-root", "--force-script-chrootless", "--force-bad-path"}
			must(t, "dpkg", append(dpkg, "--install", made(t, newer).path(t, "*_amd64.deb"))...)

			run := func(remove bool) live.Outcome {
				r, err := live.New(live.Options{Harness: h.id, Binary: found[0], Server: []string{server, refserver.Command}, Dir: t.TempDir(), Path: os.Getenv("PATH"), Script: scenario.Scripts})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				setup := exec.Command(filepath.Join(system, "usr/bin/wsi"), "setup", "--yes", "--harness", h.id, "--wiring", "hooks", "--trust-codex-hooks", "--binary", filepath.Join(system, "usr/bin/wsi"))
				setup.Dir, setup.Env = r.Work, []string{"HOME=" + r.Home, "PATH=" + os.Getenv("PATH")}
				if out, err := setup.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if remove {
					must(t, "dpkg", append(dpkg, "--remove", "wsi")...)
				}
				o, err := scenario.Run(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			if o := run(false); o.Calls != 3 || o.Right != 2 || o.Needed != 2 || len(o.Wrong) > 0 {
				t.Errorf("with the package: %+v", o)
			}
			if o := run(true); o.Calls != 3 || o.Right != 0 {
				t.Errorf("after it was removed: %+v", o)
			}
		})
	}
}
