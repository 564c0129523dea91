package setup

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A program that has not answered once is not asked again. wsi says once for whom it waits, and only
// after a second.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		e := Env{Patience: &Patience{Tell: func(name string) { told = append(told, name) }}}
		ask := func(program string, takes time.Duration) (started bool, err error) {
			err = e.Ask(t.Context(), program, func(ctx context.Context) error {
				started = true
				select {
				case <-time.After(takes):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			return started, err
		}
		for _, c := range []struct {
			program string
			takes   time.Duration
			starts  bool
			silence string
			told    []string // so far
		}{
			{"fast", time.Second / 2, true, "", nil},
			{"fast", time.Second / 4, true, "", nil},
			{"/bin/hangs.exe", time.Hour, true, "hangs did not answer in 10 s", []string{"hangs"}},
			{"/bin/hangs.exe", 0, false, "hangs did not answer in 10 s", []string{"hangs"}},
			{"fast", time.Second / 4, true, "", []string{"hangs"}},
			{"slow", 9 * time.Second, true, "", []string{"hangs", "slow"}},
			{"slow", time.Hour, true, "slow did not answer in 10 s", []string{"hangs", "slow"}},
		} {
			started, err := ask(c.program, c.takes)
			said := ""
			if errors.Is(err, ErrSilent) {
				said = err.Error()
			}
			if started != c.starts || said != c.silence || !slices.Equal(told, c.told) {
				t.Errorf("%s: started %v, %v, told %v; want %v, %q, %v", c.program, started, err, told, c.starts, c.silence, c.told)
			}
		}
	})
}

// Who ends a question early learns nothing of the program.
func TestPatienceOfACanceledQuestion(t *testing.T) {
	e := Env{Patience: &Patience{}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Ask(ctx, "x", context.Context.Err); !errors.Is(err, context.Canceled) || e.Silent("x") != nil {
		t.Errorf("got %v, silent: %v", err, e.Silent("x"))
	}
}
