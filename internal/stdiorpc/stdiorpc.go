// Package stdiorpc puts questions to a program over its standard input and output: JSON-RPC 2.0, one
// message a line, as MCP servers on stdio and Codex's app-server speak it.
//
// The program may be anything. It gets the environment and the folder that it is given, is held to a
// time and to a number of bytes, and is ended with all that it started in its process group. The
// package must not know what the questions mean.
package stdiorpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"wsi/internal/procgroup"
)

// Program is what to start.
type Program struct {
	Path    string // absolute
	Args    []string
	Dir     string
	Env     []string // all of its environment: "NAME=value"
	Secrets []string // are taken out of what Talk.LastWords and a Refusal say
}

// Talk is a program that was started to be asked. It is for one goroutine.
type Talk struct {
	ctx     context.Context
	program Program
	cmd     *exec.Cmd
	stdin   *os.File
	answers chan message
	readErr error // why answers was closed
	over    chan struct{}
	exited  chan struct{}
	readers sync.WaitGroup
	pipes   []*os.File
	words   words
	release func() bool
	id      int
}

// Begin starts a program. It is killed when ctx ends; End must be called all the same.
func Begin(ctx context.Context, p Program) (*Talk, error) {
	t := &Talk{
		ctx: ctx, program: p, cmd: exec.Command(p.Path, p.Args...), //nolint:noctx // its whole group is killed, not it alone
		answers: make(chan message), over: make(chan struct{}), exited: make(chan struct{}),
	}
	t.cmd.Dir, t.cmd.Env = p.Dir, p.Env
	if t.cmd.Env == nil {
		t.cmd.Env = []string{} // nil would be the caller's
	}
	procgroup.Own(t.cmd)
	theirs, err := t.plumb()
	if err != nil {
		return nil, err
	}
	err = t.cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(t.pipes)
		return nil, err
	}
	go func() {
		_ = t.cmd.Wait() // how it ended is in ProcessState
		close(t.exited)
	}()
	t.readers.Go(func() { t.listen(t.pipes[1]) })
	t.readers.Go(func() { t.words.listen(t.pipes[2]) })
	t.release = context.AfterFunc(ctx, func() {
		procgroup.Kill(t.cmd)
		_ = t.stdin.Close() // nobody may be left to read what is being written
	})
	return t, nil
}

// plumb makes the three pipes and returns the program's ends. They are files of the system, so that
// waiting for the program is not waiting for whoever else has them open.
func (t *Talk) plumb() (theirs []*os.File, err error) {
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(t.pipes)
			closeAll(theirs)
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		if i == 0 {
			r, w = w, r
		}
		t.pipes, theirs = append(t.pipes, r), append(theirs, w)
	}
	t.stdin = t.pipes[0]
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	return theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// Ask puts a question and waits for its answer. The error is a Refusal, ErrTooLong, ErrTooMuch, what
// became of the program, or that of the context.
func (t *Talk) Ask(method string, params any) (json.RawMessage, error) {
	t.id++
	id := strconv.Itoa(t.id)
	if err := t.send(request{JSONRPC: version, ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return nil, t.why(method, err)
	}
	for {
		select {
		case <-t.ctx.Done():
			return nil, t.why(method, nil)
		case m, ok := <-t.answers:
			switch {
			case !ok:
				return nil, t.why(method, t.readErr)
			case m.Method != "" && m.ID != nil:
				if err := t.decline(m); err != nil {
					return nil, t.why(method, err)
				}
			case m.Method != "" || string(m.ID) != id: // a notification, or an answer to nothing that was asked
			case m.Error != nil:
				return nil, Refusal{m.Error.Code, Redact(m.Error.Message, t.program.Secrets)}
			default:
				return m.Result, nil
			}
		}
	}
}

// Tell says something to which there is no answer.
func (t *Talk) Tell(method string, params any) error {
	if err := t.send(request{JSONRPC: version, Method: method, Params: params}); err != nil {
		return t.why(method, err)
	}
	return nil
}

// decline answers what the program itself asks: that we are there, and nothing else.
func (t *Talk) decline(m message) error {
	if m.Method == "ping" {
		return t.send(answer{JSONRPC: version, ID: m.ID, Result: struct{}{}})
	}
	return t.send(answer{JSONRPC: version, ID: m.ID, Error: &fault{Code: -32601, Message: "not supported"}})
}

func (t *Talk) send(v any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := t.stdin.Write(line.Bytes())
	return err
}

// why tells what became of the program, if that is why something could not be said or heard.
func (t *Talk) why(method string, err error) error {
	if ctxErr := t.ctx.Err(); ctxErr != nil {
		return fmt.Errorf("no answer to %s: %w", method, ctxErr)
	}
	if errors.Is(err, ErrTooLong) || errors.Is(err, ErrTooMuch) {
		return err
	}
	select {
	case <-t.exited:
		return fmt.Errorf("it ended before it answered %s: %s", method, t.cmd.ProcessState)
	case <-time.After(patience):
		return fmt.Errorf("it closed its input or output before it answered %s", method)
	}
}

// patience is how long a program has to end once it is asked to.
const patience = 2 * time.Second

// End ends the program: first its input ends, then it is told to, then it is killed, and with it what
// is left of its process group.
func (t *Talk) End() {
	close(t.over)
	t.release()
	_ = t.stdin.Close()
	for _, harder := range []func(*exec.Cmd){procgroup.Terminate, procgroup.Kill} {
		select {
		case <-t.exited:
		case <-time.After(patience):
			harder(t.cmd)
		}
	}
	<-t.exited
	procgroup.Kill(t.cmd)
	read := make(chan struct{})
	go func() {
		t.readers.Wait()
		close(read)
	}()
	select {
	case <-read:
	case <-time.After(patience): // somebody outside of the group has the pipes
	}
	closeAll(t.pipes)
}

// LastWords is the last line of the program's standard error, without secrets; complete after End.
func (t *Talk) LastWords() string { return Redact(t.words.last(), t.program.Secrets) }
