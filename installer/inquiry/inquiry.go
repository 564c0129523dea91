// Package inquiry has harnesses' own programs read settings files, and keeps what they answered.
//
// It keeps no text of a file: a file is known by its checksum, a program by its path, size and time. It must not know
// what the programs are asked.
package inquiry

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/atomicfile"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// Answers are those of programs that were asked. It can be used by several goroutines.
type Answers struct {
	StateDir string // where they are kept, if it exists
	May      bool   // programs may be asked; else only what is kept is known

	lock     sync.Mutex
	read     bool
	kept     map[string]answer // of this and earlier runs
	programs map[string]string // by harness
	started  map[string]error  // what was said of a configuration in this run
	plugins  map[string]listed // by harness and folder
}

// answer is what was said of a file; without a place and a reason, it was accepted.
type answer struct {
	Effect, Place, Why, Fix string
	Ignored                 []setup.IgnoredEntry `json:",omitempty"`
	Hashes                  map[string]string    `json:",omitempty"`
}

const (
	most    = 200              // then the answers are forgotten
	maxTime = 20 * time.Second // in which a program must answer
)

// Asked is a [setup.Env.Asked].
func (a *Answers) Asked(env setup.Env, h setup.Harness, content []byte) (known bool, said setup.Answer) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.load()
	if len(a.kept) == 0 && !a.May {
		return false, said
	}
	program := a.program(env, h)
	info, err := os.Stat(program)
	if err != nil {
		return false, said
	}
	id := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n%s", program, info.Size(), info.ModTime().UnixNano(), content)))
	got, ok := a.kept[id]
	if !ok && a.May && env.Scratch != nil {
		if got, ok = a.ask(env, h, program, content); ok {
			a.keep(id, got)
		}
	}
	said.Ignored, said.Hashes = got.Ignored, got.Hashes
	if got.Place+got.Why != "" {
		said.Refused = &setup.InvalidConfigError{Effect: got.Effect, Place: got.Place, Why: got.Why, Fix: got.Fix, Said: true}
	}
	return ok, said
}

// Starts is a [setup.Env.Starts]. A configuration is known by the files that [setup.Harness.Find] reads.
func (a *Answers) Starts(env setup.Env, h setup.Harness) error {
	if !a.May || env.Scratch == nil || h.Proof.Starts == nil {
		return nil
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	read, sum := env, sha256.New()
	read.ReadFile = func(path string) ([]byte, error) {
		content, err := env.ReadFile(path)
		fmt.Fprintf(sum, "%s\n%d\n%s", path, len(content), content)
		return content, err
	}
	found, _ := h.Find(read) // a file of servers that is wrong is what the program is asked about
	id := fmt.Sprintf("%s\n%s\n%x", found.Binary, env.Cwd, sum.Sum(nil))
	refused, ok := a.started[id]
	if ok || found.Binary == "" {
		return refused
	}
	err := limited(env, func(ctx context.Context, dir string) error { return h.Proof.Starts(ctx, env, found.Binary, dir) })
	if said, ok := errors.AsType[setup.InvalidConfigError](err); ok {
		refused = said
	}
	if a.started == nil {
		a.started = map[string]error{}
	}
	a.started[id] = refused
	return refused
}

// listed is what a program said of its plugins.
type listed struct {
	all []setup.Plugin
	ok  bool
}

// Plugins is a [setup.Env.Plugins]. A program is asked once in a run.
func (a *Answers) Plugins(env setup.Env, h setup.Harness) ([]setup.Plugin, bool) {
	if !a.May || env.Scratch == nil || h.Proof.Plugins == nil {
		return nil, false
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	id := h.ID + "\n" + env.Cwd
	said, ok := a.plugins[id]
	if ok {
		return said.all, said.ok
	}
	if program := a.program(env, h); program != "" {
		said.ok = limited(env, func(ctx context.Context, dir string) (err error) {
			said.all, err = h.Proof.Plugins(ctx, env, program, dir)
			return err
		}) == nil
	}
	if a.plugins == nil {
		a.plugins = map[string]listed{}
	}
	a.plugins[id] = said
	return said.all, said.ok
}

// limited calls a function with a limited time and an empty folder.
func limited(env setup.Env, ask func(ctx context.Context, dir string) error) error {
	dir, remove, err := env.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	return ask(ctx, dir)
}

// program returns the path of a harness's program, "" if it is not on this machine.
func (a *Answers) program(env setup.Env, h setup.Harness) string {
	program, ok := a.programs[h.ID]
	if !ok {
		found, _ := h.Find(env) // a file of servers that is wrong does not matter
		program = found.Binary
		if a.programs == nil {
			a.programs = map[string]string{}
		}
		a.programs[h.ID] = program
	}
	return program
}

func (a *Answers) ask(env setup.Env, h setup.Harness, program string, content []byte) (got answer, ok bool) {
	var said setup.Answer
	err := limited(env, func(ctx context.Context, dir string) (err error) {
		said, err = h.Hooks.Ask(ctx, env, program, dir, content)
		return err
	})
	if r := said.Refused; r != nil {
		got = answer{Effect: r.Effect, Place: r.Place, Why: r.Why, Fix: r.Fix}
	}
	got.Ignored, got.Hashes = said.Ignored, said.Hashes
	return got, err == nil
}

func (a *Answers) file() string { return filepath.Join(a.StateDir, state.Asked) }

func (a *Answers) load() {
	if a.read {
		return
	}
	a.read, a.kept = true, map[string]answer{}
	if content, err := plainfile.Config(a.file()); err == nil {
		_ = json.Unmarshal(content, &a.kept) // a damaged file is written again
	}
}

func (a *Answers) keep(id string, got answer) {
	if len(a.kept) >= most {
		clear(a.kept)
	}
	a.kept[id] = got
	content, err := json.Marshal(a.kept)
	if _, gone := os.Stat(a.StateDir); err == nil && gone == nil && a.StateDir != "" {
		_ = atomicfile.Write(a.file(), content, 0o600) // else the program is asked again
	}
}
