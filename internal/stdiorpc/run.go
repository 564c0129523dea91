package stdiorpc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"

	"wsi/internal/procgroup"
)

const maxOutput = 1 << 20 // bytes of each stream that Run keeps

// prefix keeps the first maxOutput bytes of a stream and discards the rest. The buffer is not embedded, because
// io.Copy would then bypass Write.
type prefix struct{ kept bytes.Buffer }

func (s *prefix) Write(p []byte) (int, error) {
	if room := maxOutput - s.kept.Len(); room > 0 {
		s.kept.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// Run runs a program to its end and returns its output and exit status. The error says why it could not start, or
// is that of ctx.
func Run(ctx context.Context, p Program) (stdout, stderr []byte, status int, err error) {
	var out, errOut prefix
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the caller's
	}
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = time.Second // a child process may hold the output open
	procgroup.Own(cmd)
	err = cmd.Run()
	procgroup.Kill(cmd)
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, nil, 0, ctx.Err()
	case errors.As(err, &ended):
		return out.kept.Bytes(), errOut.kept.Bytes(), ended.ExitCode(), nil
	}
	return out.kept.Bytes(), errOut.kept.Bytes(), 0, err
}
