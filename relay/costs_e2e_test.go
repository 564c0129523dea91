//go:build e2e

package relay

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// serveFastOverHTTP returns the address of a fast server.
func serveFastOverHTTP(b *testing.B) (url string) {
	b.Helper()
	f := newFastServer()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil || r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case idIn(body) == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			mu.Lock()
			defer mu.Unlock()
			answer := f.answer(body)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			_, _ = w.Write(answer) // a client that is gone needs no answer
		}
	}))
	b.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/mcp"
}

// web asks a server behind HTTP with nothing between.
type web struct {
	url string
	n   int
}

func (w *web) ask(tb testing.TB, method, params string) (took time.Duration, size int) {
	tb.Helper()
	w.n++
	start := time.Now()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, w.url, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.n, method, params)))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return time.Since(start), int(n)
}

// contender is one way to reach a server, and what was measured of it.
type contender struct {
	name    string
	tool    string
	command func() *exec.Cmd // nil for HTTP with nothing between
	server  interface {
		ask(tb testing.TB, method, params string) (time.Duration, int)
	}
	cmd *exec.Cmd

	took  []time.Duration
	cpu   time.Duration
	sizes map[int][]time.Duration
}

const hi = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.332"}}`

func (c *contender) begin(b *testing.B) {
	b.Helper()
	if c.command != nil {
		c.cmd = c.command()
		s := speak(b, c.cmd)
		s.ask(b, "initialize", hi)
		if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
			b.Fatal(err)
		}
		c.server = s
	}
	c.server.ask(b, "tools/call", `{"name":"start_session","arguments":{},`+asCodex+`}`)
	for range 500 {
		c.call(b, 0)
	}
}

func (c *contender) call(b *testing.B, size int) time.Duration {
	b.Helper()
	took, n := c.server.ask(b, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"n":%d},%s}`, c.tool, size, asCodex))
	if n < size {
		b.Fatalf("%s: %d bytes of %d", c.name, n, size)
	}
	return took
}

// spent is the processor time of the program between, without its server's.
func (c *contender) spent(b *testing.B) (sum time.Duration) {
	b.Helper()
	if c.cmd == nil {
		return 0
	}
	return processorTime(b, c.cmd.Process.Pid)
}

const smallCalls = 3000

var largeCalls = map[int]int{1 << 20: 200, 10 << 20: 8} // by size

// measure measures all side by side: every call of one is followed by the same call of the next.
func measure(b *testing.B, all []*contender) {
	b.Helper()
	for _, c := range all {
		c.begin(b)
		c.sizes = map[int][]time.Duration{}
		c.cpu = -c.spent(b)
	}
	for range smallCalls {
		for _, c := range all {
			c.took = append(c.took, c.call(b, 0))
		}
	}
	for _, c := range all {
		c.cpu = (c.cpu + c.spent(b)) / smallCalls
	}
	for size, n := range largeCalls {
		for range n {
			for _, c := range all {
				c.sizes[size] = append(c.sizes[size], c.call(b, size))
			}
		}
	}
}

const direct = "nothing between"

// quantile sorts.
func quantile(all []time.Duration, percent int) time.Duration {
	slices.Sort(all)
	return all[len(all)*percent/100]
}

// printTable prints what was measured, as docs/measurements.md has it. The first contender has nothing between.
func printTable(title string, all []*contender) {
	fmt.Printf("\n| %s | added, median | added, 99 %% | CPU a call | 1 MB | 10 MB |\n|---|---|---|---|---|---|\n", title)
	us := func(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/1e3) }
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }
	base := all[0]
	for _, c := range all {
		share := func(size int) string {
			return fmt.Sprintf("%.2f", float64(quantile(base.sizes[size], 50))/float64(quantile(c.sizes[size], 50)))
		}
		mid, late, cpu := us(quantile(c.took, 50)-quantile(base.took, 50)), us(quantile(c.took, 99)-quantile(base.took, 99)), us(c.cpu)
		one, ten := share(1<<20), share(10<<20)
		if c == base {
			mid, late, cpu = "("+us(quantile(c.took, 50))+")", "("+us(quantile(c.took, 99))+")", ""
			one, ten = "("+ms(quantile(c.sizes[1<<20], 50))+")", "("+ms(quantile(c.sizes[10<<20], 50))+")"
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", c.name, mid, late, cpu, one, ten)
	}
}

// What a relay costs, next to the same calls without one: the tables of docs/measurements.md.
func BenchmarkCosts(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("it is read from /proc")
	}
	dir := b.TempDir()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	wsi := builtProgram(b)
	url := serveFastOverHTTP(b)
	program := func(args ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
			cmd.Env = append(os.Environ(), "HOME="+dir)
			return cmd
		}
	}
	relay := func(name string, server ...string) func() *exec.Cmd {
		return program(append([]string{wsi, "relay", "--server", name, "--harness", "codex", "--state", filepath.Join(dir, "state")}, server...)...)
	}
	fast := []string{self, "as-fast-server"}
	const (
		carries, other, both, ruled, unrelated = "get_activity", "echo", "both", "workflow-server", "docs" // tools and servers
	)
	onStdio := []*contender{
		{name: direct, tool: other, command: program(fast...)},
		{name: "wsi, nothing to carry", tool: other, command: relay(unrelated, append([]string{"--"}, fast...)...)},
		{name: "wsi, a carried value", tool: carries, command: relay(ruled, append([]string{"--"}, fast...)...)},
	}
	overHTTP := []*contender{
		{name: direct, tool: other, server: &web{url: url}},
		{name: "wsi, nothing to carry", tool: other, command: relay(unrelated, "--url", url)},
		{name: "wsi, a carried value", tool: carries, command: relay(ruled, "--url", url)},
	}
	results := []*contender{
		{name: direct, tool: both, command: program(fast...)},
		{name: "wsi, --content as-is", tool: both, command: relay(unrelated, append([]string{"--content", "as-is", "--"}, fast...)...)},
		{name: "wsi, --content auto", tool: both, command: relay(unrelated, append([]string{"--"}, fast...)...)},
	}
	for _, all := range [][]*contender{onStdio, overHTTP, results} {
		measure(b, all)
	}
	printTable("a server on stdio", onStdio)
	printTable("a server behind HTTP", overHTTP)
	printTable("results with text and JSON", results)
	b.ReportMetric(0, "ns/op") // one figure would say nothing
}

// processorTime is what all threads of a process have used.
func processorTime(tb testing.TB, pid int) (sum time.Duration) {
	tb.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		tb.Fatalf("no processor time: %v", err)
	}
	for _, path := range threads {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // a thread that has ended
		}
		first, _, _ := strings.Cut(string(raw), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}
