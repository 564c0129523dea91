package harnesses

import (
	"context"
	"regexp"
	"time"
)

// Version asks a harness's program for its version, for at most five seconds; "" if it does not say.
func (e Env) Version(ctx context.Context, binary string) string {
	if e.Output == nil || binary == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := e.Output(ctx, binary, "--version")
	if err != nil {
		return ""
	}
	return regexp.MustCompile(`\d+\.\d+[\w.+-]*`).FindString(string(out))
}
