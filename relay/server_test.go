package relay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wsi/internal/refserver"
	"wsi/internal/testkit/envtest"
)

// roles are what else the test binary can be, by its first argument.
var roles = map[string]func(args []string){
	"as-server":      func(args []string) { serve(args[0]) },
	"as-sleeper":     func([]string) { time.Sleep(10 * time.Minute) },
	"as-fast-server": func([]string) { answerFast() },
	"as-relay": func(args []string) {
		ends := make(chan os.Signal, 4)
		signal.Notify(ends, os.Interrupt, syscall.SIGTERM)
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		var opt Options
		must(json.Unmarshal([]byte(args[0]), &opt))
		os.Exit(Run(Env{
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Signals: ends, Getenv: os.Getenv, Environ: os.Environ(),
			Home: os.Getenv("HOME"), GOOS: runtime.GOOS,
		}, opt))
	},
}

// The test binary is also the server behind the relay, and the relay as a process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role := roles[os.Args[1]]; role != nil {
			role(os.Args[2:])
			os.Exit(0)
		}
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // the flag exists; most tests wait for a process
	remove := envtest.InMemory()
	code := m.Run()
	remove()
	os.Exit(code)
}

// scripted is the reference server, whose calls do what their argument "label" says: a word, a colon and what the word is
// about. With "wait:FILE", perhaps with a semicolon and another word, a call waits for a file first. All requests are answered at
// once, each in its own time. The server keeps what arrived.
type scripted struct {
	dir    string
	server *refserver.Server
	mu     sync.Mutex
	out    io.Writer
	asked  map[string]chan []byte // requests of its own
	calls  atomic.Int32
}

// A line of the server's that arrived is in this file.
func arrivedIn(dir string) string { return filepath.Join(dir, "arrived") }

func serve(dir string) {
	s := &scripted{dir: dir, out: os.Stdout, asked: map[string]chan []byte{}}
	s.server = refserver.Open(filepath.Join(dir, "server"), refserver.Options{RotateOnError: true, Lenient: true})
	must(os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600))
	stubborn, _ := os.ReadFile(filepath.Join(dir, "stubborn")) // none has it
	switch string(stubborn) {                                  // it ignores the end of its stdin, and what asks it to end
	case "1": // but for SIGTERM
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		defer time.Sleep(time.Minute)
	case "2":
		signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
		defer time.Sleep(time.Minute)
	}
	if said, err := os.ReadFile(filepath.Join(dir, "dies")); err == nil {
		fmt.Println("a launcher's output is not an answer")
		_, _ = os.Stderr.Write(said)
		os.Exit(9)
	}
	fmt.Fprintln(os.Stderr, "the server has begun")
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			s.keep(line)
			s.read(line)
		}
		if err != nil { // what has been asked is answered
			for end := time.Now().Add(time.Second); s.calls.Load() > 0 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			if s.has("saves") {
				time.Sleep(idleTimeout / 20)
				must(os.WriteFile(filepath.Join(s.dir, "saved"), nil, 0o600))
			}
			return
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *scripted) keep(line []byte) {
	f, err := os.OpenFile(arrivedIn(s.dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	_, err = f.Write(line)
	must(err)
	must(f.Close())
}

func (s *scripted) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.out, line+"\n")
	if err != nil {
		os.Exit(3)
	}
}

func (s *scripted) read(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(line, &m) != nil {
		s.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`)
		return
	}
	switch {
	case m.Method == "" && m.ID != nil:
		if waits := s.asked[string(m.ID)]; waits != nil {
			waits <- bytes.Clone(line)
		}
	case m.Method == "ask": // the client, with an id that may be one of its own
		waits := make(chan []byte, 1)
		s.asked[string(m.Params)] = waits
		s.write(`{"jsonrpc":"2.0","id":` + string(m.Params) + `,"method":"roots/list"}`)
		go func() {
			s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + string(bytes.TrimSpace(<-waits)) + `}`)
		}()
	case m.Method == "say": // these very bytes
		s.write(strings.Trim(string(m.Params), " "))
	case m.Method == "say-raw":
		text, err := strconv.Unquote(string(m.Params))
		must(err)
		s.write(text)
	case m.Method == "big":
		n, err := strconv.Atoi(string(m.Params))
		must(err)
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":"` + strings.Repeat("x", n) + `"}`)
	case m.Method == "slow": // it does one thing at a time
		time.Sleep(2 * idleTimeout)
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
	case m.Method == "hush": // it says nothing any more, and lives on
		must(os.Stdout.Close())
	case m.Method == "deaf": // it reads nothing any more, and lives on
		if string(m.Params) == "true" {
			must(os.Stdin.Close())
		}
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
		time.Sleep(10 * time.Minute)
	case m.Method == "fork": // a program that lives on
		cmd := exec.Command(os.Args[0], "as-sleeper")
		if string(m.Params) == `"writes"` {
			cmd = exec.Command(os.Args[0], "as-writer")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		}
		must(cmd.Start())
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + strconv.Itoa(cmd.Process.Pid) + `}`)
	case m.Method == "half":
		said, err := os.ReadFile(filepath.Join(s.dir, "half"))
		must(err)
		_, _ = s.out.Write(said)
		os.Exit(8)
	case m.Method == "initialize" && s.greets(m.ID):
	case m.Method == "subscriptions/listen": // it is answered when it ends
	case m.Method == "resources/subscribe" && s.has("has-no-resources"):
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`)
	case m.Method == "exit":
		n, err := strconv.Atoi(string(m.Params))
		must(err)
		os.Exit(n)
	case m.Method == "tools/list":
		all := refserver.Tools()
		if s.has("other-tools") {
			all = append(all, refserver.Tool{Name: "new", Schema: json.RawMessage(`{"type":"object"}`)})
		}
		tools, err := json.Marshal(all)
		must(err)
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"tools":` + string(tools) + `}}`)
	case m.Method == "tools/call":
		s.calls.Add(1)
		go func() {
			s.call(m.ID, m.Params)
			s.calls.Add(-1)
		}()
	case m.ID != nil:
		s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"method":"` + m.Method + `","params":` + cmp.Or(string(m.Params), "null") + `}}`)
	}
}

func (s *scripted) has(file string) bool {
	_, err := os.Stat(filepath.Join(s.dir, file))
	return err == nil
}

func (s *scripted) call(id, params json.RawMessage) {
	var p struct {
		Name      string
		Arguments json.RawMessage
	}
	must(json.Unmarshal(params, &p))
	var in struct{ Label string }
	_ = json.Unmarshal(p.Arguments, &in)                                                        // none has no label
	if waits, then, ok := strings.Cut(in.Label, ";"); ok || strings.HasPrefix(waits, "wait:") { // until there is a file
		for in.Label = then; !s.has(strings.TrimPrefix(waits, "wait:")); {
			time.Sleep(time.Millisecond)
		}
	}
	word, rest, _ := strings.Cut(in.Label, ":")
	more := ""
	switch word {
	case "sleep":
		d, err := time.ParseDuration(rest)
		must(err)
		time.Sleep(d)
	case "reply":
		s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + rest + `}`)
		return
	case "die":
		os.Exit(7)
	case "never":
		return
	case "error":
		s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":-1,"message":"no"}}`)
		return
	case "more":
		if !bytes.Contains(params, []byte("requestState")) {
			s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"resultType":"input_required","requestState":"r"}}`)
			return
		}
	case "size":
		n, err := strconv.Atoi(rest)
		must(err)
		more = `,"more":"` + strings.Repeat("y", n) + `"`
	}
	raw, err := s.server.Call(p.Name, p.Arguments)
	if err != nil {
		s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":-2,"message":"no such tool"}}`)
		return
	}
	if word == "last" {
		defer os.Exit(0)
	}
	if word == "blind" {
		raw = []byte(`{"content":[]}`)
	}
	s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + strings.TrimSuffix(string(raw), "}") + more + `}}`)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// asProcess is a relay in a process of its own.
func asProcess(t *testing.T, opt Options) *exec.Cmd {
	t.Helper()
	raw, err := json.Marshal(opt)
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(self(t), "as-relay", string(raw))
}
