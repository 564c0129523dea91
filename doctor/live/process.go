package live

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"wsi/internal/procgroup"
)

// run runs a program to its end in the rig's home, in a process group of its own, which is ended as
// a whole when time is up.
func (r *Rig) run(ctx context.Context, program string, args, env []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.Work
	cmd.Env = append(r.environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	procgroup.Own(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	procgroup.Kill(cmd) // what it has left running
	return out.Bytes(), err
}

// environ is a bare environment: nothing of the caller's configuration gets in.
func (r *Rig) environ() []string {
	return []string{
		"HOME=" + r.Home, "PATH=" + r.path, "TERM=dumb", "LANG=C.UTF-8", "USER=wsi", "SHELL=/bin/sh", "CI=1",
		"XDG_CONFIG_HOME=" + filepath.Join(r.Home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(r.Home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(r.Home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(r.Home, ".cache"),
		"TMPDIR=" + r.temp,
		"HTTP_PROXY=" + r.Model.URL, "HTTPS_PROXY=" + r.Model.URL, "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=" + r.Model.URL, "https_proxy=" + r.Model.URL, "no_proxy=127.0.0.1,localhost",
	}
}

// write makes a file of the user's.
func (r *Rig) write(name, content string) error {
	path := filepath.Join(r.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}
