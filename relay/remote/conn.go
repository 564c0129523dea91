package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// pool keeps connections to one host, for one request at a time each.
type pool struct {
	dial func() (net.Conn, error)

	mu   sync.Mutex
	idle []*conn
	open map[*conn]bool // all of them
	over bool
}

const maxIdle = 8

// conn is a connection whose other end is listened to all the time: one that was closed while it was idle
// must be known before a request is written to it, for a call must not be made twice.
type conn struct {
	net.Conn
	r     *bufio.Reader
	ready chan came // when something has come, or the connection has ended
}

type came struct{ err error }

func (c *conn) listen() {
	go func() {
		_, err := c.r.Peek(1)
		c.ready <- came{err}
	}()
}

var errClosed = errors.New("the relay has ended")

// take returns a connection, and whether it was used before.
func (p *pool) take() (c *conn, used bool, err error) {
	p.mu.Lock()
	for len(p.idle) > 0 {
		c = p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		select {
		case <-c.ready: // closed, or saying what it was not asked
		default:
			if alive(c.Conn) {
				p.mu.Unlock()
				return c, true, nil
			}
		}
		delete(p.open, c)
		_ = c.Close()
	}
	p.mu.Unlock()
	raw, err := p.dial()
	if err != nil {
		return nil, false, err
	}
	c = &conn{Conn: raw, r: bufio.NewReaderSize(raw, 64<<10), ready: make(chan came, 1)}
	c.listen()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil, false, errors.Join(errClosed, c.Close())
	}
	if p.open == nil {
		p.open = map[*conn]bool{}
	}
	p.open[c] = true
	return c, false, nil
}

// give takes a connection back. One that is not whole is closed.
func (p *pool) give(c *conn, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if whole && !p.over && len(p.idle) < maxIdle {
		c.listen()
		p.idle = append(p.idle, c)
		return
	}
	delete(p.open, c)
	_ = c.Close()
}

// close ends all connections.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over, p.idle = true, nil
	for c := range p.open {
		_ = c.Close()
	}
}

// exchange is a request that was written.
type exchange struct {
	pool *pool
	conn *conn
	once sync.Once
	idle bool // of the server's: its answer is not waited for
}

// begin writes a request. If that fails the server has not got the whole of it, and does nothing.
func (p *pool) begin(head, body []byte) (*exchange, error) {
	message := append(append(make([]byte, 0, len(head)+len(body)), head...), body...)
	for {
		c, used, err := p.take()
		if err != nil {
			return nil, err
		}
		_, err = c.Write(message)
		if err == nil {
			return &exchange{pool: p, conn: c}, nil
		}
		p.give(c, false)
		if !used {
			return nil, err
		}
	}
}

// end gives the connection back.
func (x *exchange) end(whole bool) {
	x.once.Do(func() { x.pool.give(x.conn, whole) })
}

// response is the answer to a request, whose body is still to be read.
type response struct {
	status int
	header textproto.MIMEHeader
	body   io.Reader
}

const maxHead = 256 << 10

// wait returns the answer. Whoever reads its body to the end, or does not want it, calls end.
func (x *exchange) wait() (response, error) {
	if now := <-x.conn.ready; now.err != nil {
		return response{}, fmt.Errorf("the connection ended without an answer: %w", now.err)
	}
	for {
		r, err := head(x.conn.r)
		if err != nil {
			return r, fmt.Errorf("read the answer: %w", err)
		}
		if r.status >= 200 { // what comes before is none
			return r, nil
		}
	}
}

func head(in *bufio.Reader) (response, error) {
	lines := textproto.NewReader(bufio.NewReader(&upToBlank{in: in, left: maxHead}))
	first, err := lines.ReadLine()
	if err != nil {
		return response{}, err
	}
	version, rest, _ := strings.Cut(first, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || !strings.HasPrefix(version, "HTTP/1.") {
		return response{}, errors.New("it is not HTTP/1.1")
	}
	r := response{status: status}
	if r.header, err = lines.ReadMIMEHeader(); err != nil {
		return r, err
	}
	switch length := r.header.Get("Content-Length"); {
	case status == 204 || status == 304 || status < 200:
		r.body = strings.NewReader("")
	case strings.EqualFold(r.header.Get("Transfer-Encoding"), "chunked"):
		r.body = &chunks{in: in}
	case length != "":
		n, err := strconv.ParseInt(length, 10, 63)
		if err != nil || n < 0 {
			return r, errors.New("its length is no number")
		}
		r.body = &exactly{in: in, left: n}
	default:
		r.body = in // up to the end of the connection
		r.header.Set("Connection", "close")
	}
	return r, nil
}

// lasts tells whether the connection can be used again once the body was read.
func (r response) lasts() bool { return !strings.EqualFold(r.header.Get("Connection"), "close") }

// upToBlank reads up to and with an empty line, and not a byte more.
type upToBlank struct {
	in   *bufio.Reader
	left int
	done bool
	rest []byte
}

func (u *upToBlank) Read(p []byte) (int, error) {
	if len(u.rest) == 0 {
		if u.done {
			return 0, io.EOF
		}
		line, err := u.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if u.left -= len(line); u.left < 0 {
			return 0, errors.New("its head is too large")
		}
		u.rest = line
		u.done = len(bytes.TrimRight(line, "\r\n")) == 0
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// exactly reads so many bytes; less is an error.
type exactly struct {
	in   io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.in.Read(p[:min(int64(len(p)), e.left)])
	if e.left -= int64(n); errors.Is(err, io.EOF) && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// chunks reads a body that comes in chunks.
type chunks struct {
	in   *bufio.Reader
	left int64 // of the chunk
	more bool  // it is not the first
	done bool
}

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 {
		if c.done {
			return 0, io.EOF
		}
		if err := c.next(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
	n, err := c.in.Read(p[:min(int64(len(p)), c.left)])
	if c.left -= int64(n); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (c *chunks) next() error {
	if c.more {
		line, err := c.line()
		if err == nil && line != "" {
			err = errors.New("a chunk is longer than it says")
		}
		if err != nil {
			return err
		}
	}
	c.more = true
	line, err := c.line()
	if err != nil {
		return err
	}
	size, _, _ := strings.Cut(line, ";")
	if c.left, err = strconv.ParseInt(strings.TrimSpace(size), 16, 63); err != nil || c.left < 0 {
		c.left = 0
		return errors.New("the size of a chunk is no number")
	}
	if c.left == 0 {
		for line = "trailer"; line != "" && err == nil; {
			line, err = c.line()
		}
		c.done = err == nil
	}
	return err
}

func (c *chunks) line() (string, error) {
	line, err := c.in.ReadSlice('\n')
	return string(bytes.TrimRight(line, "\r\n")), err
}
