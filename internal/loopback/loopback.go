// Package loopback answers HTTP/1.1 on this machine and nowhere else: what a scripted model needs to
// talk to a harness, and no more. The standard library's server would serve as well, but linking it
// costs every call of the hook 0.4 ms (decision 0004).
//
// One connection is one request: the answer ends where the connection does. It must not know what is
// asked or answered.
package loopback

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of what a client may send.
const (
	maxHead = 256 << 10
	maxBody = 64 << 20
	maxWait = 30 * time.Second // for a request to come whole
)

// Request is what a client asks. Whoever handles it owns the bytes.
type Request struct {
	Method string
	Host   string // whom it is for, with the port
	Path   string // without query
	Proxy  bool   // it is for another host than this one: the client takes the server for its proxy
	Header textproto.MIMEHeader
	Body   []byte
}

// Response is the answer to one request. Without a call of Begin there is none.
type Response struct {
	conn  net.Conn
	begun bool
	err   error
}

// Begin sends the status and the type of what will be written.
func (w *Response) Begin(status int, contentType string) {
	if w.begun {
		return
	}
	w.begun = true
	_, w.err = fmt.Fprintf(w.conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n", status, reason(status), contentType)
}

// Write sends a part of the answer at once.
func (w *Response) Write(part []byte) (int, error) {
	w.Begin(200, "text/plain; charset=utf-8")
	if w.err != nil {
		return 0, w.err
	}
	return w.conn.Write(part)
}

// Fail answers with an error, unless an answer has begun.
func (w *Response) Fail(status int, text string) {
	if !w.begun {
		w.Begin(status, "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text + "\n")) // whoever failed may be gone
	}
}

func reason(status int) string {
	if text, ok := map[int]string{200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 413: "Content Too Large", 415: "Unsupported Media Type"}[status]; ok {
		return text
	}
	return "Status"
}

// Server listens on a port of 127.0.0.1 that the system chose.
type Server struct {
	URL string // http://127.0.0.1:port

	listener net.Listener
	handle   func(*Response, Request)
	mu       sync.Mutex
	open     map[net.Conn]bool // nil when closed
	all      sync.WaitGroup
}

// Serve answers every request with handle, each in a goroutine of its own, until Close.
func Serve(handle func(*Response, Request)) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), listener: l, handle: handle, open: map[net.Conn]bool{}}
	s.all.Go(s.accept)
	return s, nil
}

// Close ends all connections and returns when nothing is handled any more.
func (s *Server) Close() error {
	err := s.listener.Close()
	s.mu.Lock()
	for conn := range s.open {
		_ = conn.Close()
	}
	s.open = nil
	s.mu.Unlock()
	s.all.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.mu.Lock()
		closed := s.open == nil
		if !closed {
			s.open[conn] = true
		}
		s.mu.Unlock()
		if closed {
			_ = conn.Close()
			return
		}
		s.all.Go(func() { s.serve(conn) })
	}
}

func (s *Server) serve(conn net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
		_ = conn.Close()
	}()
	_ = conn.SetReadDeadline(time.Now().Add(maxWait))
	w := &Response{conn: conn}
	r, err := read(conn, conn)
	switch {
	case errors.Is(err, errTooLarge):
		w.Fail(413, err.Error())
		return
	case err != nil:
		w.Fail(400, "this is no request")
		return
	}
	own := strings.TrimPrefix(s.URL, "http://")
	r.Proxy = r.Method == "CONNECT" || r.Proxy && r.Host != own
	s.handle(w, r)
	if !w.begun {
		w.Fail(404, "there is no such thing here")
	}
	linger(conn)
}

// linger lets the client read the answer before the connection goes, even if it still sends.
func linger(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxHead))
	}
}

var errTooLarge = errors.New("the request is too large")

// read takes one request from in; a client that waits to be asked for the body is asked on out.
func read(in io.Reader, out io.Writer) (Request, error) {
	limit := &io.LimitedReader{R: in, N: maxHead}
	lines := textproto.NewReader(bufio.NewReader(limit))
	exceeded := func(err error) error {
		if limit.N <= 0 {
			return errTooLarge
		}
		return err
	}
	first, err := lines.ReadLine()
	if err != nil {
		return Request{}, exceeded(err)
	}
	r, err := parse(first)
	if err != nil {
		return r, err
	}
	if r.Header, err = lines.ReadMIMEHeader(); err != nil {
		return r, exceeded(err)
	}
	if r.Host == "" {
		r.Host = r.Header.Get("Host")
	}
	if strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		if _, err := io.WriteString(out, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return r, err
		}
	}
	limit.N += maxBody
	r.Body, err = body(lines, r.Header)
	return r, exceeded(err)
}

// parse takes the first line apart.
func parse(line string) (Request, error) {
	method, rest, ok1 := strings.Cut(line, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok1 || !ok2 || method == "" || !strings.HasPrefix(version, "HTTP/1.") {
		return Request{}, fmt.Errorf("the first line is %d characters of something else", len(line))
	}
	if method == "CONNECT" {
		return Request{Method: method, Host: target, Proxy: true}, nil
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return Request{}, errors.New("the target is no address")
	}
	return Request{Method: method, Host: u.Host, Path: u.Path, Proxy: u.Host != ""}, nil
}

// body reads what the header announces.
func body(lines *textproto.Reader, header textproto.MIMEHeader) ([]byte, error) {
	switch coding := strings.ToLower(header.Get("Transfer-Encoding")); coding {
	case "":
	case "chunked":
		return chunks(lines)
	default:
		return nil, errors.New("the body is encoded in a way that is not known")
	}
	announced := header.Get("Content-Length")
	if announced == "" {
		return nil, nil
	}
	n, err := strconv.ParseUint(announced, 10, 63)
	switch {
	case err != nil:
		return nil, errors.New("the length is no number")
	case n > maxBody:
		return nil, errTooLarge
	}
	return take(lines.R, n)
}

// take reads exactly n bytes, and needs no more memory than there are.
func take(in io.Reader, n uint64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, int64(n)))
	if err == nil && uint64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func chunks(lines *textproto.Reader) (all []byte, err error) {
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseUint(strings.TrimSpace(size), 16, 63)
		switch {
		case err != nil:
			return nil, errors.New("the size of a chunk is no number")
		case n > maxBody || uint64(len(all))+n > maxBody:
			return nil, errTooLarge
		case n == 0:
			_, err := lines.ReadMIMEHeader() // trailers
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all, err
		}
		part, err := take(lines.R, n)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
		if end, err := lines.ReadLine(); err != nil || end != "" {
			return nil, errors.New("a chunk is longer than it says")
		}
	}
}
