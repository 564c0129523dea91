package stdiorpc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"

	"wsi/internal/procgroup"
)

// mostSaid is more than anything that is run to its end has to say.
const mostSaid = 1 << 20

// said keeps the beginning of a stream, and lets the program go on. The buffer is not embedded: io.Copy would fill
// it past all limits.
type said struct{ kept bytes.Buffer }

func (s *said) Write(p []byte) (int, error) {
	if room := mostSaid - s.kept.Len(); room > 0 {
		s.kept.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// Run runs a program to its end and returns what it printed and its exit status. The error is why it could not be
// started, or that of the context.
func Run(ctx context.Context, p Program) (stdout, stderr []byte, status int, err error) {
	var out, complaint said
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the caller's
	}
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.WaitDelay = time.Second // what it has started may hold its output open
	procgroup.Own(cmd)
	err = cmd.Run()
	procgroup.Kill(cmd)
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, nil, 0, ctx.Err()
	case errors.As(err, &ended):
		return out.kept.Bytes(), complaint.kept.Bytes(), ended.ExitCode(), nil
	}
	return out.kept.Bytes(), complaint.kept.Bytes(), 0, err
}
