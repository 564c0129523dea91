package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wsi/internal/phrase"
	"wsi/internal/stdiorpc"
)

// Patience limits how long a run of wsi waits for programs of harnesses. A program that has not answered once is not asked again.
// It can be used by several goroutines.
type Patience struct {
	Limit time.Duration     // for each start of a program; 0 = 10 s
	Tell  func(name string) // called once for each program that wsi waits for, if it has waited a second for all; may be nil

	waited       atomic.Int64 // nanoseconds, for all programs
	told, silent sync.Map     // by the program's path; silent has errors
}

// ErrSilent is in the error of a program that does not answer: "claude did not answer in 10 s".
var ErrSilent = errors.New("did not answer")

// Silent returns the error of a program that has not answered, nil of any other.
func (e Env) Silent(program string) error {
	found, _ := cmp.Or(e.Patience, &Patience{}).silent.Load(program)
	silence, _ := found.(error)
	return silence
}

// Ask calls ask, which starts a program of a harness, with a limited time. The error has [ErrSilent] if the program does not
// answer within it, or has not answered before.
func (e Env) Ask(ctx context.Context, program string, ask func(context.Context) error) error {
	if silence := e.Silent(program); silence != nil {
		return silence
	}
	p, name := cmp.Or(e.Patience, &Patience{}), strings.TrimSuffix(filepath.Base(program), ".exe")
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.Limit, 10*time.Second))
	defer cancel()
	defer time.AfterFunc(max(time.Second-time.Duration(p.waited.Load()), time.Second/2), func() {
		if _, told := p.told.LoadOrStore(program, true); !told && p.Tell != nil {
			p.Tell(name)
		}
	}).Stop()
	start := time.Now()
	err := ask(ctx)
	took := time.Since(start)
	p.waited.Add(int64(took))
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%s %w in %s", name, ErrSilent, phrase.Age(took))
		p.silent.Store(program, err)
	}
	return err
}

// Run runs a program of a harness to its end, as [stdiorpc.Run] does, with the limits of Ask.
func (e Env) Run(ctx context.Context, p stdiorpc.Program) (stdout []byte, err error) {
	err = e.Ask(ctx, p.Path, func(ctx context.Context) error {
		stdout, err = stdiorpc.Run(ctx, p)
		return err
	})
	return stdout, err
}
