package remote

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// respond answers with a status and headers, separated by commas. The first header is Content-Type, without its name. A body that is
// called gzip is compressed.
func respond(w http.ResponseWriter, head, body string) {
	w.Header()["Content-Type"] = nil // net/http would guess one
	status, headers, _ := strings.Cut(head, " ")
	for i, header := range strings.Split(headers, ", ") {
		name, value, ok := strings.Cut(header, ": ")
		if i == 0 && header != "" {
			name, value, ok = "Content-Type", header, true
		}
		if ok {
			w.Header().Set(name, value)
		}
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(code)
	var out io.Writer = w
	if text, ok := strings.CutPrefix(body, "gzip:"); ok {
		z := gzip.NewWriter(w)
		defer func() { _ = z.Close() }() // the client may be gone
		out, body = z, text
	}
	_, _ = io.WriteString(out, body)
}

// Whatever a server does, each request gets one answer, and nothing but JSON-RPC is delivered.
func TestMisbehaviour(t *testing.T) {
	const (
		right  = `{"jsonrpc":"2.0","id":"q","result":{}}`
		asJSON = "200 application/json"
		events = "200 text/event-stream"
		failed = `{"id":"q","error":{"code":7}}`
	)
	for name, c := range map[string]struct {
		head, body string
		want       string // part of the one line that is delivered
	}{
		"gzip though not asked for":       {asJSON + ", Content-Encoding: gzip", "gzip:" + right, right},
		"gzip events":                     {events + ", Content-Encoding: gzip", "gzip:data: " + right + "\n\n", right},
		"gzip that is none":               {asJSON + ", Content-Encoding: gzip", right, "calls its answer gzip, but it is not"},
		"another compression":             {asJSON + ", Content-Encoding: br", right, "compressed its answer"},
		"an empty body":                   {asJSON, "", "the server's answer is empty"},
		"broken JSON":                     {asJSON, right[:20], "not a JSON-RPC answer to this request"},
		"two documents":                   {asJSON, right + right, "not a JSON-RPC answer to this request"},
		"a byte order mark":               {asJSON, "\ufeff" + right, right},
		"no JSON-RPC":                     {asJSON, `{"message":"try\u001b[2J later"}`, "answer to this request: try [2J later"},
		"neither result nor error":        {asJSON, `{"jsonrpc":"2.0","id":"q"}`, "not a JSON-RPC answer"},
		"another id":                      {asJSON, `{"jsonrpc":"2.0","id":"r","result":{}}`, "not a JSON-RPC answer"},
		"a batch with the answer":         {asJSON, `[{"method":"x"},` + right + `]`, `[{"method":"x"},` + right + `]`},
		"a batch with a stranger":         {asJSON, `[{"id":7,"result":1},` + right + `]`, "not a JSON-RPC answer"},
		"202 to a request":                {"202", "", "HTTP status 202"},
		"204 to a request":                {"204", "", "HTTP status 204"},
		"a text":                          {"200 text/plain; charset=utf-8", "out of\x1b[31m order\nmore", "an event stream: out of [31m order\""},
		"a page":                          {"200 text/html", "<html>", "an event stream\""},
		"a broken stream":                 {events, "data: {\"method\":\"x\"}\n\ndata: {\"id\":", "broke off"},
		"half an answer":                  {asJSON + ", Content-Length: 100", "{", "read the answer"},
		"it dies":                         {"dies", "", "ended without an answer"},
		"events of other names":           {events, "event: ping\ndata: {}\n\nevent: message\ndata: " + right + "\n\n", right},
		"events without messages":         {events, "data: hello\n\ndata: [1]\n\ndata: " + right + "\n\n", right},
		"a stale event":                   {events, "data: {\"id\":7,\"result\":{}}\n\ndata: " + right + "\n\n", right},
		"only other events":               {events, "event: ping\ndata: " + right + "\n\n", "the answer broke off"},
		"one answer twice":                {events, "data: " + right + "\n\ndata: " + right + "\n\n", right},
		"a byte order mark before events": {events, "\ufeffdata: " + right + "\n\n", right},
		"a byte order mark before a name": {events, "\ufeffevent: message\ndata: " + right + "\n\n", right},
		"an error as an event":            {"400 text/event-stream", "event: message\ndata: " + failed + "\n\n", failed},
		"quota, as an event":              {"429 text/event-stream", "event: message\ndata: {\"error\":{\"message\":\"quota exceeded\"}}\n\n", "HTTP status 429: quota exceeded"},
		"an error as a text":              {"500 text/plain", failed, failed},
		"an error that has no kind":       {"500", "\ufeff" + failed, failed},
		"quota, in JSON that has no kind": {"500", "\ufeff {\"message\":\"quota exceeded\"}", "HTTP status 500: quota exceeded"},
		"quota, in JSON of its own":       {"422 application/json", `{"errors":[{"msg":"quota exceeded","key":"sk-secret1"}]}`, `HTTP status 422: {\"errors\":[{\"msg\":\"quota exceeded\",\"key\":\"***\"}]}"`},
		"quota, in no JSON":               {"503 application/json", "quota exceeded", "HTTP status 503: quota exceeded"},
		"a page with an error":            {"502 text/html", "<html><title>quota</title>", `HTTP status 502"`},
		"quota, in Latin 1":               {"403 text/plain", "quota \xfcber", "HTTP status 403: quota \ufffdber"},
		"another's answer":                {"500 application/json", `{"jsonrpc":"2.0","id":"r","result":{"quota":1}}`, `HTTP status 500"`},
		"a picture":                       {"500 image/png", "\x89PNG", `HTTP status 500"`},
		"an error of its own, no id": {
			"400 application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no such version","data":{"supported":["2025-11-25"]}}}`,
			`"error":{"code":-32022,"message":"wsi relay: the server answered with the HTTP status 400: no such version","data":{"supported":["2025-11-25"]}}`,
		},
		"a code that is none": {"400 application/json", `{"error":{"code":"x","message":"quota exceeded"}}`, `"code":-32000,"message"`},
		"quota, in JSON":      {"429 application/json", `{"error":{"message":"quota exceeded"}}`, "HTTP status 429: quota exceeded"},
		"quota, as a problem": {"403 application/problem+json", `{"title":"Forbidden","detail":"quota exceeded"}`, "HTTP status 403: quota exceeded"},
		"quota, as text":      {"503 text/plain; charset=utf-8", "quota exceeded\n", "HTTP status 503: quota exceeded"},
		"quota, no id":        {"400 application/json", `{"id":null,"error":{"code":7,"message":"quota exceeded"}}`, "status 400: quota exceeded"},
		"a header is quoted":  {"403 text/plain; charset=utf-8", "no such key: sk-secret1 (Bearer sk-secret1)\n", "no such key: *** (***)"},
		"it wants a login":    {"401 application/json", `{"error":"invalid_token","error_description":"expired"}`, "requires a login"},
		"a redirect":          {"308 , Location: /?k=sk-secret1", "", "another address"},
		"a very long body":    {"500 text/plain; charset=utf-8", strings.Repeat("x", 1<<20), "xxx…"},
		"an endless redirect": {"302 , Location: /mcp", "", "another address"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar(t, func(w http.ResponseWriter, _ *http.Request, _ string) { respond(w, c.head, c.body) })
			f.connect(f.http.URL+"/mcp", Header{"Authorization", "Bearer sk-secret1"})
			got := f.ask(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{}}`)
			if strings.HasPrefix(got, `{"method"`) {
				got = f.next()
			}
			if !strings.Contains(got, c.want) || !strings.Contains(got, `"id":"q"`) || strings.Contains(got, "secret1") || !json.Valid([]byte(got)) ||
				strings.ContainsFunc(got, func(r rune) bool { return r < ' ' && r != '\n' }) {
				t.Errorf("got %s", got)
			}
			f.idle()
			select {
			case more := <-f.lines:
				t.Errorf("also %s", more)
			default:
			}
			if n := len(f.requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// idle waits until nothing is asked.
func (f *far) idle() {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); f.server.Asks() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatal("a request that was answered is waited for")
		}
	}
}

// A server that speaks HTTP wrongly: its bytes are not quoted.
func TestBrokenHTTP(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
	for name, c := range map[string]struct {
		say  string
		want string
	}{
		"a malformed header":    {"HTTP/1.1 200 OK\r\nsecret line\r\n\r\n", "not valid HTTP"},
		"no HTTP":               {"SSH-2.0-secret\r\n", "not valid HTTP"},
		"a wrong length":        {ok + "minus\r\n\r\n{}", "not valid HTTP"},
		"less than it says":     {ok + "100\r\n\r\n{}", "read the answer"},
		"chunks without length": {strings.Replace(ok, "Content-Length: ", "Transfer-Encoding: chunked\r\n\r\nsecret\r\n", 1), "read the answer"},
		"a huge head":           {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("secret", 100000), "not valid HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go rawServer(l, c.say)
			f := (&far{t: t}).connect("http://" + l.Addr().String())
			f.send(`{"id":1,"method":"x"}`)
			if got := f.next(); !strings.Contains(got, c.want) || !strings.Contains(got, `"id":1`) || strings.Contains(got, "secret") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// rawServer answers every request with a text, and closes the connection.
func rawServer(l net.Listener, say string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(c, say) // the client may be gone
			}
		}()
	}
}

// The arguments that a tool's schema names are repeated in headers, as the revision of 2026-07-28 has it.
func TestParamHeaders(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"size":{"type":"integer","x-mcp-header":"Size"},
		"dry":{"type":"boolean","x-mcp-header":"Dry"},"plain":{"type":"string"},
		"deep":{"type":"object","properties":{"name":{"type":"string","x-mcp-header":"Name"}}}}}`
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		if method(body) == "tools/list" {
			answer(w, body, `{"tools":[{"name":"order","inputSchema":`+strings.Join(strings.Fields(schema), "")+`},{"name":"other","inputSchema":{}}]}`)
			return
		}
		answer(w, body, `{}`)
	})
	f.ask(`{"id":1,"method":"tools/list","params":{` + meta + `}}`)
	for _, c := range []struct {
		tool, args string
		want       map[string]string
	}{
		{"order", `{"region":"eu","size":7,"dry":true,"plain":"x","deep":{"name":"a b"}}`, map[string]string{"Region": "eu", "Size": "7", "Dry": "true", "Name": "a b"}},
		{"order", `{"region":"Zürich","size":1e3,"dry":null,"plain":"x"}`, map[string]string{"Region": "=?base64?WsO8cmljaA==?=", "Size": "1000"}},
		{"order", `{"region":" eu","size":1.5,"dry":"no","deep":{"name":["x"]}}`, map[string]string{"Region": "=?base64?IGV1?=", "Dry": "no"}},
		{"order", `{"region":"a\r\nb","size":9007199254740993}`, map[string]string{"Region": "=?base64?YQ0KYg==?="}},
		{"other", `{"region":"eu"}`, nil},
	} {
		f.ask(`{"id":2,"method":"tools/call","params":{"name":"` + c.tool + `","arguments":` + c.args + `,` + meta + `}}`)
		got := map[string]string{}
		for name, values := range f.posted().Header {
			if short, ok := strings.CutPrefix(name, "Mcp-Param-"); ok {
				got[short] = values[0]
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: got %v, want %v", c.args, got, c.want)
		}
	}
	f.ask(`{"id":3,"method":"tasks/get","params":{"taskId":"t-1",` + meta + `}}`)
	if h := f.posted().Header; h.Get("Mcp-Name") != "t-1" || h.Get("Mcp-Method") != "tasks/get" {
		t.Errorf("%v", h)
	}
}

// A batch's requests are answered one by one if the server does not answer them.
func TestBatch(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		respond(w, "200 text/event-stream", "data: {\"id\":1,\"result\":{}}\n\n")
	})
	f.send(`[{"id":1,"method":"x"},{"method":"notifications/x"},{"id":"two","method":"x"}]`)
	if got := f.next(); got != `{"id":1,"result":{}}`+"\n" {
		t.Error(got)
	}
	if got := f.next(); !strings.Contains(got, `"id":"two","error"`) {
		t.Error(got)
	}
	f.idle()
}

// A server that answers notifications slowly delays nothing else: a single-threaded one answers a cancellation
// only when the cancelled request is done.
func TestSlowNotifications(t *testing.T) {
	release := make(chan struct{})
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		if idOf(body) == "" {
			<-release
			return
		}
		answer(w, body, `{}`)
	})
	defer close(release)
	start := time.Now()
	const n = 500
	for i := range n {
		f.send(fmt.Sprintf(`{"method":"notifications/%d"}`, i))
	}
	f.ask(`{"id":1,"method":"x"}`)
	if took := time.Since(start); took > n/2*acceptTimeout { // a busy machine takes longer than one wait
		t.Errorf("it took %v", took)
	}
}
