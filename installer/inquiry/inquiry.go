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

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/internal/rename"
	"wsi/internal/state"
)

// Answers are those of programs that were asked. It can be used by several goroutines.
type Answers struct {
	StateDir string // where they are kept, if it exists
	May      bool   // programs may be asked; else only what is kept is known

	lock sync.Mutex
	kept map[string]setup.Answer // of this and earlier runs, nil before they are read
	once map[string]any          // what was said in this run
}

const most = 200 // then the answers are forgotten

// Asked is a [setup.Env.Asked].
func (a *Answers) Asked(env setup.Env, h setup.Harness, content []byte) (known bool, said setup.Answer) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.load(); len(a.kept) == 0 && !a.May {
		return false, said
	}
	program := a.program(env, h)
	info, err := os.Stat(program)
	if err != nil {
		return false, said
	}
	id := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n%s", program, info.Size(), info.ModTime().UnixNano(), content)))
	if said, known = a.kept[id]; known || !a.May {
		return known, said
	}
	answer := once(a, id, func() (answer *setup.Answer) {
		_ = env.InScratch(func(dir string) error { // it has not answered
			said, err := h.Hooks.Ask(context.Background(), env, program, dir, content)
			if err == nil {
				a.keep(id, said)
				answer = &said
			}
			return err
		})
		return answer
	})
	if answer == nil {
		return false, said
	}
	return true, *answer
}

// Starts is a [setup.Env.Starts]. A configuration is known by the files that [setup.Harness.Find] reads.
func (a *Answers) Starts(env setup.Env, h setup.Harness) error {
	if !a.May || h.Proof.Starts == nil {
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
	if found.Binary == "" {
		return nil
	}
	said := once(a, fmt.Sprintf("starts\n%s\n%s\n%x", found.Binary, env.Cwd, sum.Sum(nil)), func() *setup.InvalidConfigError {
		err := env.InScratch(func(dir string) error { return h.Proof.Starts(context.Background(), env, found.Binary, dir) })
		if refused, ok := errors.AsType[setup.InvalidConfigError](err); ok {
			return &refused
		}
		return nil
	})
	if said == nil {
		return nil
	}
	return *said
}

// Plugins is a [setup.Env.Plugins]. A program is asked once in a run.
func (a *Answers) Plugins(env setup.Env, h setup.Harness) ([]setup.Plugin, bool) {
	if !a.May || h.Proof.Plugins == nil {
		return nil, false
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	all := once(a, "plugins\n"+h.ID+"\n"+env.Cwd, func() (all []setup.Plugin) {
		program := a.program(env, h)
		if program == "" || env.InScratch(func(dir string) (err error) {
			all, err = h.Proof.Plugins(context.Background(), env, program, dir)
			return err
		}) != nil {
			return nil
		}
		return append([]setup.Plugin{}, all...) // an empty list is an answer, too
	})
	return all, all != nil
}

// once returns what a function returned when it was first called with an id.
func once[T any](a *Answers, id string, ask func() T) T {
	said, ok := a.once[id].(T)
	if !ok {
		said = ask()
		if a.once == nil {
			a.once = map[string]any{}
		}
		a.once[id] = said
	}
	return said
}

// program returns the path of a harness's program, "" if it is not on this machine.
func (a *Answers) program(env setup.Env, h setup.Harness) string {
	return once(a, "program\n"+h.ID, func() string {
		found, _ := h.Find(env) // a file of servers that is wrong does not matter
		return found.Binary
	})
}

func (a *Answers) file() string { return filepath.Join(a.StateDir, state.Asked) }

func (a *Answers) load() {
	if a.kept != nil {
		return
	}
	a.kept = map[string]setup.Answer{}
	if content, err := files.Config(a.file()); err == nil {
		_ = json.Unmarshal(content, &a.kept) // a damaged file is written again
	}
}

func (a *Answers) keep(id string, said setup.Answer) {
	if len(a.kept) >= most {
		clear(a.kept)
	}
	a.kept[id] = said
	content, err := json.Marshal(a.kept)
	if _, gone := os.Stat(a.StateDir); err == nil && gone == nil && a.StateDir != "" {
		_ = rename.Write(a.file(), content) // else the program is asked again
	}
}
