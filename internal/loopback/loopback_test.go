package loopback

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// echo answers with what it understood.
func echo(w *Response, r Request) {
	w.Begin(200, "text/event-stream")
	fmt.Fprintf(w, "%s %s %s proxy:%v %d ", r.Method, r.Host, r.Path, r.Proxy, len(r.Body))
	_, _ = w.Write(r.Body)
}

func serve(t *testing.T, handle func(*Response, Request)) *Server {
	t.Helper()
	s, err := Serve(handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The standard library's client is understood, whatever form it gives a body.
func TestClient(t *testing.T) {
	s := serve(t, echo)
	host := strings.TrimPrefix(s.URL, "http://")
	large := strings.Repeat("x", 5<<20)
	for name, body := range map[string]io.Reader{
		"length": strings.NewReader("hello"), "chunks": io.MultiReader(strings.NewReader("hel"), strings.NewReader("lo")),
		"large": strings.NewReader(large), "large chunks": io.MultiReader(strings.NewReader(large)), "nothing": nil,
	} {
		for range 3 { // a kept connection is not there any more
			r, err := http.Post(s.URL+"/v1/messages?beta=true", "application/json", body) //nolint:noctx // loopback
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || r.StatusCode != 200 || !strings.HasPrefix(string(got), "POST "+host+" /v1/messages proxy:false") {
				t.Errorf("%s: %v %d %.100s", name, err, r.StatusCode, got)
			}
			if want := map[string]string{"length": " 5 hello", "chunks": " 5 hello", "large": large, "large chunks": large, "nothing": " 0 "}[name]; !strings.HasSuffix(string(got), want) && body != nil {
				t.Errorf("%s: ends with %.20q", name, got[max(0, len(got)-20):])
			}
			body = nil
		}
	}
}

// Parts of an answer arrive as they are written.
func TestStreaming(t *testing.T) {
	on := make(chan bool)
	s := serve(t, func(w *Response, _ Request) {
		_, _ = w.Write([]byte("one\n"))
		<-on
		_, _ = w.Write([]byte("two\n"))
	})
	r, err := http.Get(s.URL) //nolint:noctx // loopback
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	part := make([]byte, 4)
	if _, err := io.ReadFull(r.Body, part); err != nil || string(part) != "one\n" {
		t.Errorf("%q %v", part, err)
	}
	close(on)
	if rest, err := io.ReadAll(r.Body); err != nil || string(rest) != "two\n" {
		t.Errorf("%q %v", rest, err)
	}
}

// Whoever takes the server for a proxy is told apart from those who mean it.
func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var hosts []string
	s := serve(t, func(w *Response, r Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Proxy {
			hosts = append(hosts, r.Method+" "+r.Host)
			w.Fail(403, "nothing leaves loopback")
			return
		}
		echo(w, r)
	})
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	if r, err := client.Get("http://example.invalid/x"); err != nil || r.StatusCode != 403 { //nolint:noctx,bodyclose // loopback
		t.Error(r, err)
	}
	if _, err := client.Get("https://example.invalid/x"); err == nil { //nolint:noctx,bodyclose // there is none
		t.Error("a tunnel was made")
	}
	own := strings.TrimPrefix(s.URL, "http://")
	answer := talk(t, s, "GET http://"+own+"/here HTTP/1.1\r\nHost: "+own+"\r\n\r\n")
	if !strings.Contains(answer, "/here proxy:false") {
		t.Errorf("its own address in full: %q", answer)
	}
	if got := strings.Join(hosts, ", "); got != "GET example.invalid, CONNECT example.invalid:443" {
		t.Errorf("noted: %s", got)
	}
}

// talk sends bytes and returns all that is answered.
func talk(t *testing.T, s *Server, sent string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://")) //nolint:noctx // loopback
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	go func() { _, _ = io.WriteString(conn, sent) }() // it may be refused before all of it is sent
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

func TestWhatIsNoRequest(t *testing.T) {
	s := serve(t, echo)
	for sent, want := range map[string]string{
		"\r\n": "400", "nonsense\r\n\r\n": "400", "GET /\r\n\r\n": "400", "GET / HTTP/2\r\n\r\n": "400", "GET  HTTP/1.1\r\n\r\n": "400",
		"GET / HTTP/1.1\r\nno header\r\n\r\n":                                                     "400",
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n":                                           "400",
		"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n":                                  "413",
		"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n":                                      "400",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n":                             "400",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n":                       "400",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n":                "413",
		"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", maxHead) + "\r\n\r\n":                       "413",
		"GET / HTTP/1.1\r\n\r\n":                                                                  "200",
		"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi":                  "100 Continue",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nA: b\r\n\r\n":   "200",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\nmore": "200",
	} {
		if answer := talk(t, s, sent); !strings.HasPrefix(answer, "HTTP/1.1 "+want) {
			t.Errorf("%.60q is answered with %.60q, want %s", sent, answer, want)
		}
	}
}

// A server that is closed ends those who still listen to it, and waits for none who does not speak.
func TestClose(t *testing.T) {
	s, err := Serve(func(w *Response, _ Request) {
		for {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range []string{"GET / HTTP/1.1\r\n\r\n", "GET / HT", ""} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://")) //nolint:noctx // loopback
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, sent)
	}
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	if err := s.Close(); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// Whatever is sent is read without a panic, and no more than was sent is kept.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"POST /v1/messages?beta=true HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi",
		"POST http://h:1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		"CONNECT h:443 HTTP/1.1\r\n\r\n", "GET * HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		r, err := read(bytes.NewReader(sent), io.Discard)
		if err == nil && len(r.Body) > len(sent) {
			t.Errorf("%d bytes of %d", len(r.Body), len(sent))
		}
	})
}
