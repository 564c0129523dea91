package relay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

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

// BenchmarkCarried compares a carried call with one that carries nothing, call by call.
func BenchmarkCarried(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("it is read from /proc")
	}
	wsi, dir := builtProgram(b), b.TempDir()
	relayed := func(server string) *speaker {
		cmd := exec.Command(wsi, "relay", "--server", server, "--harness", "codex", "--state", filepath.Join(dir, server), "--", os.Args[0], "as-fast-server")
		cmd.Env = append(os.Environ(), "HOME="+dir)
		s := speak(b, cmd)
		s.ask(b, "tools/call", `{"name":"start_session","arguments":{},`+asCodex+`}`)
		return s
	}
	direct, plain, carrying := speak(b, exec.Command(os.Args[0], "as-fast-server")), relayed("docs"), relayed("workflow-server")
	all := []*speaker{direct, plain, carrying}
	took, cpu := make([][]time.Duration, len(all)), make([]time.Duration, len(all))
	call := func(i int) {
		d, _ := all[i].ask(b, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},%s}`, []string{"echo", "echo", "get_activity"}[i], asCodex))
		took[i] = append(took[i], d)
	}
	for range 500 {
		for i := range all {
			call(i)
		}
	}
	for i, s := range all {
		took[i], cpu[i] = nil, -processorTime(b, s.cmd.Process.Pid)
	}
	for b.Loop() {
		for i := range all {
			call(i)
		}
	}
	us := func(d time.Duration) float64 { return float64(d) / 1e3 }
	for i, s := range all {
		cpu[i] = (cpu[i] + processorTime(b, s.cmd.Process.Pid)) / time.Duration(b.N)
		slices.Sort(took[i])
	}
	median := func(i int) time.Duration { return took[i][len(took[i])/2] }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(us(cpu[1]), "plain-cpu-us")
	b.ReportMetric(us(cpu[2]), "carried-cpu-us")
	b.ReportMetric(float64(cpu[2])/float64(cpu[1]), "cpu-ratio")
	b.ReportMetric(us(median(1)), "plain-us")
	b.ReportMetric(us(median(2)), "carried-us")
	b.ReportMetric(float64(median(2))/float64(median(1)), "time-ratio")
	b.ReportMetric(us(median(0)), "direct-us")
}
