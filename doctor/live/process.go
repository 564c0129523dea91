package live

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"wsi/internal/procgroup"
)

// run runs a program in the rig's home, in a process group of its own, which it kills after a timeout.
func (r *Rig) run(ctx context.Context, program string, args, env []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	out := &output{flooded: cancel}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.Work
	cmd.Env = append(r.environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	procgroup.Own(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	procgroup.Kill(cmd) // what it has left running
	if out.total > mostOutput {
		err = fmt.Errorf("it prints more than %d MB", mostOutput>>20)
	}
	return out.bytes(), err
}

// Limits of what a harness prints: all of a run is some 100 kB.
const (
	mostOutput = 64 << 20 // then it is killed
	keptHead   = 1 << 20  // the session's id is at the beginning
	keptTail   = 64 << 10 // the reason of a failure at the end
)

// output keeps the beginning and the end of what is written to it.
type output struct {
	head, tail []byte
	total      int
	flooded    func()
}

func (o *output) Write(p []byte) (int, error) {
	if o.total += len(p); o.total > mostOutput {
		o.flooded()
	}
	n := min(len(p), keptHead-len(o.head))
	o.head = append(o.head, p[:n]...)
	if o.tail = append(o.tail, p[n:]...); len(o.tail) > 2*keptTail {
		o.tail = append([]byte(nil), o.tail[len(o.tail)-keptTail:]...)
	}
	return len(p), nil
}

func (o *output) bytes() []byte { return append(o.head, o.tail...) }

// environ returns a minimal environment, without the caller's configuration.
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

const ruleFile = ".config/wsi/rules.toml"

func (r *Rig) write(name, content string) error {
	return r.put(filepath.Join(r.Home, filepath.FromSlash(name)), []byte(content))
}
