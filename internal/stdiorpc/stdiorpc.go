// Package stdiorpc calls a program over its standard input and output: JSON-RPC 2.0, one message a line, as used
// by MCP servers on stdio and by Codex's app-server.
//
// The program is not trusted. It gets only the given environment and folder, its time and output are limited, and
// its whole process group is ended. The package must not know what the calls mean.
package stdiorpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"wsi/internal/lastwords"
	"wsi/internal/procgroup"
)

// Program is what to start.
type Program struct {
	Path    string // absolute
	Args    []string
	Dir     string
	Env     []string // all of its environment: "NAME=value"
	Stdin   []byte   // for Run
	Joined  bool     // Run returns its standard error with its output
	Secrets []string // values that Client.LastStderr and Error must not contain
}

// prepare gives a command the program's folder and environment, and a process group.
func (p *Program) prepare(cmd *exec.Cmd) {
	cmd.Dir, cmd.Env = p.Dir, append([]string{}, p.Env...) // nil would be the caller's
	procgroup.Own(cmd)
}

// Client is a running program. It is not safe for concurrent use.
type Client struct {
	ctx     context.Context
	program Program
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	stderr  io.ReadCloser
	answers chan message
	readErr error // why answers was closed
	over    chan struct{}
	exited  chan struct{}
	state   *os.ProcessState // how it has exited
	readers sync.WaitGroup
	words   lastwords.Line // on stderr
	release func() bool
	id      int
}

// Start starts a program. The program is killed when ctx ends. The caller must call [Client.Close] in any case.
func Start(ctx context.Context, p Program) (*Client, error) {
	c := &Client{
		ctx: ctx, program: p, cmd: exec.Command(p.Path, p.Args...), //nolint:noctx // its whole group is killed, not it alone
		answers: make(chan message), over: make(chan struct{}), exited: make(chan struct{}),
	}
	p.prepare(c.cmd)
	var errs [3]error
	c.stdin, errs[0] = c.cmd.StdinPipe()
	c.stdout, errs[1] = c.cmd.StdoutPipe()
	c.stderr, errs[2] = c.cmd.StderrPipe()
	err := errors.Join(errs[:]...)
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	go func() {
		c.state, _ = c.cmd.Process.Wait() // Wait of cmd would close the pipes, in which there may be more
		close(c.exited)
	}()
	c.readers.Go(c.listen)
	c.readers.Go(func() { c.words.Listen(c.stderr) })
	c.release = context.AfterFunc(ctx, func() {
		procgroup.Kill(c.cmd)
		_ = c.stdin.Close() // end a blocked write
	})
	return c, nil
}

// Call sends a request and waits for the response. The error is an [Error], [ErrTooLong], [ErrTooMuch], how the
// program ended, or that of the context.
func (c *Client) Call(method string, params any) (json.RawMessage, error) {
	c.id++
	id := strconv.Itoa(c.id)
	err := c.send(sent{ID: json.RawMessage(id), Method: method, Params: params})
	for {
		var late <-chan time.Time
		if err != nil {
			late = time.After(grace) // it reads no more, but it may have written the answer before
		}
		select {
		case <-c.ctx.Done():
			return nil, c.explain(method, nil)
		case <-late:
			return nil, c.explain(method, err)
		case m, ok := <-c.answers:
			switch {
			case !ok:
				return nil, c.explain(method, c.readErr)
			case m.Method == "ping" && m.ID != nil:
				err = errors.Join(err, c.send(sent{ID: m.ID, Result: struct{}{}}))
			case m.Method != "" && m.ID != nil:
				err = errors.Join(err, c.send(sent{ID: m.ID, Error: &Error{MethodNotFound, "not supported"}}))
			case m.Method != "" || string(m.ID) != id: // a notification, or the response to another request
			case m.Error != nil:
				return nil, Error{m.Error.Code, lastwords.Redact(m.Error.Message, c.program.Secrets)}
			default:
				return m.Result, nil
			}
		}
	}
}

// Notify sends a notification. Its errors are those of [Client.Call].
func (c *Client) Notify(method string) error {
	if err := c.send(sent{Method: method}); err != nil {
		return c.explain(method, err)
	}
	return nil
}

func (c *Client) send(m sent) error {
	m.JSONRPC = "2.0"
	e := json.NewEncoder(c.stdin) // it writes a message at once
	e.SetEscapeHTML(false)
	return e.Encode(m)
}

// explain returns the error of a failed send or receive: that of the context, a limit, or how the program ended.
func (c *Client) explain(method string, err error) error {
	if ctxErr := c.ctx.Err(); ctxErr != nil {
		return fmt.Errorf("no answer to %s: %w", method, ctxErr)
	}
	if errors.Is(err, ErrTooLong) || errors.Is(err, ErrTooMuch) {
		return err
	}
	select {
	case <-c.exited:
		if ctxErr := c.ctx.Err(); ctxErr != nil { // which may be why it ended
			return fmt.Errorf("no answer to %s: %w", method, ctxErr)
		}
		return fmt.Errorf("it ended before it answered %s: %s", method, c.state)
	case <-time.After(grace):
		return fmt.Errorf("it closed its input or output before it answered %s", method)
	}
}

// grace is the time that a program has to end.
const grace = 2 * time.Second

// Close ends the program: it closes stdin, then terminates, then kills the process group.
func (c *Client) Close() {
	close(c.over)
	c.release()
	_ = c.stdin.Close()
	for _, harder := range []func(*exec.Cmd){procgroup.Terminate, procgroup.Kill} {
		select {
		case <-c.exited:
		case <-time.After(grace):
			harder(c.cmd)
		}
	}
	<-c.exited
	procgroup.Kill(c.cmd)
	read := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(read)
	}()
	select {
	case <-read:
	case <-time.After(grace): // a process outside the group has the pipes open
	}
	_, _ = c.stdout.Close(), c.stderr.Close()
}

// LastStderr returns the last line of the program's standard error, redacted. It is complete after Close.
func (c *Client) LastStderr() string { return lastwords.Redact(c.words.Last(), c.program.Secrets) }

const maxOutput = 16 << 20 // bytes of each stream of a program that Run runs

// ErrOutput is the error of [Run] for a program that prints more.
var ErrOutput = fmt.Errorf("it prints more than %d MB", maxOutput>>20)

// bounded keeps what is written to it. Beyond maxOutput it fails, and calls full: a program may go on although nothing reads.
type bounded struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom, without a limit
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxOutput {
		b.full()
		return 0, ErrOutput
	}
	return b.kept.Write(p)
}

// Run runs a program to its end and returns its output. If it fails, the error is an [exec.ExitError] with its standard error.
// Other errors say why it could not start or was ended: the cause of ctx, or [ErrOutput].
func Run(ctx context.Context, p Program) (stdout []byte, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	full := func() { end(ErrOutput) }
	out, errOut := bounded{full: full}, bounded{full: full}
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if p.Joined {
		cmd.Stderr = &out
	}
	if p.Stdin != nil { // else it is the null device: Codex and Claude Code take more of a prompt from a pipe
		cmd.Stdin = bytes.NewReader(p.Stdin)
	}
	cmd.WaitDelay = grace // a child process may hold the output open
	p.prepare(cmd)
	forCmd(cmd)
	err = cmd.Run()
	procgroup.Kill(cmd)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		failed.Stderr = errOut.kept.Bytes()
	}
	return out.kept.Bytes(), err
}

// sent is a message to the program: a request, a notification or an answer.
type sent struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// message is one of the program.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is a JSON-RPC error response. Its message is redacted; see [lastwords.Redact].
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// MethodNotFound is the code of an [Error] for a method that the program does not have.
const MethodNotFound = -32601

// The limits for the output of a program. The largest known list of tools has 1 MB. Each line counts perLine bytes
// more than it has, because parsing it takes time.
const (
	maxLine  = 16 << 20
	maxTotal = 64 << 20
	perLine  = 100
)

// The errors of a program that prints too much.
var (
	ErrTooLong = errors.New("it printed a line of more than 16 MB")
	ErrTooMuch = errors.New("it printed more than 64 MB, or as much in short lines")
)

// listen reads messages until EOF or an error. It ignores lines that are not messages, as Claude Code, Codex and
// OpenCode do. After Close it discards messages.
func (c *Client) listen() {
	defer close(c.answers)
	c.readErr = eachLine(c.stdout, maxLine, maxTotal, func(line []byte) {
		var m message
		if json.Unmarshal(line, &m) != nil {
			return
		}
		select {
		case c.answers <- m:
		case <-c.over:
		}
	})
	if !errors.Is(c.readErr, io.EOF) {
		procgroup.Kill(c.cmd)
	}
}

// eachLine calls found with each line of a stream, which is valid until the next. It returns why it ends: [io.EOF] or an
// error. The last line needs no newline.
func eachLine(r io.Reader, maxLine, maxTotal int, found func(line []byte)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine+1)
	for lines.Scan() {
		if maxTotal -= len(lines.Bytes()) + perLine; maxTotal < 0 {
			return ErrTooMuch
		}
		found(lines.Bytes())
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return ErrTooLong
	case err != nil:
		return err
	}
	return io.EOF
}
