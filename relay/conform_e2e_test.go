//go:build e2e

package relay

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/npmtest"
)

// suite is the official conformance suite, in one of its releases.
type suite struct{ node, program string }

func conformance(t *testing.T, release string) suite {
	t.Helper()
	modules := npmtest.Install(t, filepath.Join("testdata", "npm", "conformance"))
	s := suite{"node", filepath.Join(modules, release, "dist", "index.js")}
	if installed, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node")); len(installed) > 0 {
		s.node = installed[0] // it needs Node 22
	}
	return s
}

// run runs the suite and returns how often each check has passed, by "scenario check".
func (s suite) run(t *testing.T, args ...string) (passed map[string]int) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append(append([]string{s.program}, args...), "-o", dir)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput() // exit status 1 means that a check has failed
	passed = passedIn(t, dir)
	if len(passed) == 0 || ctx.Err() != nil {
		t.Fatalf("%q: %v\n%.3000s", args, err, out)
	}
	return passed
}

var timestamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-0-9]+Z$`)

func passedIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	passed := map[string]int{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return err
		}
		scenario := timestamp.ReplaceAllString(filepath.ToSlash(filepath.Dir(path)), "")
		for _, c := range checks {
			if c.Status == "SUCCESS" {
				passed[scenario+" "+c.ID]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

// compare fails for every check that is lost with the relay, but for those that cannot be compared, and prints
// the names of all.
func compare(t *testing.T, with, without map[string]int, reasons map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(without)) {
		switch {
		case with[name] < without[name] && reasons[name] == "":
			t.Errorf("LOST  %s: passed %d times, without the relay %d", name, with[name], without[name])
		case with[name] < without[name]:
			t.Logf("not compared  %s: %s", name, reasons[name])
		default:
			t.Logf("passed  %s", name)
		}
	}
	t.Logf("%d checks without the relay, %d with it", len(without), len(with))
}

// The Go SDK's server for the conformance suite, behind stdio and behind HTTP.
func everythingServer(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "everything-server")
	out, err := exec.Command("go", "build", "-o", program, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// listening starts a program that serves HTTP at a free port, and returns its address when it does.
func listening(t testing.TB, command func(address string) *exec.Cmd) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	_ = l.Close()
	cmd := command(address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return address
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A rule that concerns every call: no value is ever found, but everything is looked into.
const concernsAll = `
[[carry]]
name = "any"
servers = ["everything"]
[carry.capture]
from = ["meta:none", "structured:none", "text:none (x+)"]
[[carry.inject]]
tools = ["test_simple_text"]
argument = "none"
`

// relayed is a relay as a process, started as often as need be, with a rule file.
func relayed(t *testing.T, opt Options, rules string) func() *exec.Cmd {
	t.Helper()
	w := newWorld(t)
	opt.Server, opt.State, opt.Rules = "everything", w.opt.State, filepath.Join(w.dir, "rules.toml")
	if err := os.WriteFile(opt.Rules, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(opt.State, "journal.jsonl")); rules != "" && err != nil {
			t.Errorf("no call was looked into: %v", err)
		}
	})
	return func() *exec.Cmd {
		cmd := asProcess(t, opt)
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(w.dir, "home"))
		return cmd
	}
}

var legs = []struct{ name, release, version string }{
	{"released", "released", "2025-11-25"},
	{"alpha-2025-11-25", "alpha", "2025-11-25"},
	{"alpha-2026-07-28", "alpha", "2026-07-28"},
}

// A server on stdio passes the same checks with and without the relay in front of it.
func TestConformanceOfNPMSuiteOnStdio(t *testing.T) {
	server := everythingServer(t)
	for _, leg := range legs {
		t.Run(leg.name, func(t *testing.T) {
			s := conformance(t, leg.release)
			run := func(command func() *exec.Cmd) map[string]int {
				return s.run(t, "server", "--url", serveBridge(t, command), "--suite", "all", "--spec-version", leg.version)
			}
			without := run(func() *exec.Cmd { return exec.Command(server) })
			for _, rules := range []string{"", concernsAll} {
				compare(t, run(relayed(t, Options{Command: []string{server}}, rules)), without, nil)
			}
		})
	}
}

// Checks of a server behind HTTP that the bridge in front of the relay answers for, not the relay.
const (
	ofFront    = "what the suite's headers say ends at the bridge; the relay writes headers of its own"
	ofRevision = "only a header names the revision, and a client on stdio has no headers"
	ofStream   = "it is a field of the bridge's own stream"
)

var notCompared = map[string]string{
	"server-dns-rebinding-protection localhost-host-rebinding-rejected":                      ofFront,
	"server-http-custom-header-server-validation sep-2243-server-reject-invalid-param-chars": ofFront,
	"server-http-custom-header-server-validation sep-2243-server-reject-param-mismatch":      ofFront,
	"server-http-custom-header-server-validation sep-2243-server-validate-param-match":       ofFront,
	"server-http-header-validation sep-2243-server-reject-error-code":                        ofFront,
	"server-http-header-validation sep-2243-server-reject-invalid-headers":                   ofFront,
	"server-server-stateless sep-2575-http-server-header-mismatch-400":                       ofFront,
	"server-server-stateless sep-2575-http-server-meta-invalid-400":                          ofRevision,
	"server-server-stateless sep-2575-http-server-method-not-found-404-initialize":           ofRevision,
	"server-server-stateless sep-2575-request-meta-invalid-missing-meta":                     ofRevision,
	"server-server-stateless sep-2575-request-meta-invalid-missing-protocol-version":         ofRevision,
	"server-server-sse-polling server-sse-retry-field":                                       ofStream,
}

// A server behind HTTP passes the same checks with and without the relay in front of it.
func TestConformanceOfNPMSuiteOverHTTP(t *testing.T) {
	server := everythingServer(t)
	for _, leg := range legs {
		t.Run(leg.name, func(t *testing.T) {
			s := conformance(t, leg.release)
			url := "http://" + listening(t, func(address string) *exec.Cmd {
				return exec.Command(server, "-http", address, "-stateless="+strconv.FormatBool(leg.version >= "2026"))
			}) + "/mcp"
			run := func(url string) map[string]int {
				return s.run(t, "server", "--url", url, "--suite", "all", "--spec-version", leg.version)
			}
			compare(t, run(serveBridge(t, relayed(t, Options{URL: url}, concernsAll))), run(url), notCompared)
		})
	}
}

// A client behind the relay passes the same checks as one that speaks HTTP itself.
func TestConformanceOfNPMSuiteOfClient(t *testing.T) {
	for _, leg := range legs {
		t.Run(leg.name, func(t *testing.T) {
			s := conformance(t, leg.release)
			with, without := map[string]int{}, map[string]int{}
			for _, scenario := range s.clientScenarios(t, leg.version) {
				switch {
				case strings.HasPrefix(scenario, "auth/"):
					t.Logf("not compared  %s: the relay does not sign in by OAuth", scenario)
				case scenarios[scenario] == nil:
					t.Errorf("the client does not know the scenario %s", scenario)
				default:
					run := func(how string) map[string]int {
						command := strings.Join([]string{self(t), "as-conformance-client", how, newWorld(t).dir}, " ")
						return s.run(t, "client", "--command", command, "--scenario", scenario, "--spec-version", leg.version)
					}
					maps.Copy(with, run("relayed"))
					maps.Copy(without, run("direct"))
				}
			}
			compare(t, with, without, nil)
		})
	}
}

var listed = regexp.MustCompile(`(?m)^  - (\S+) \[(.*)\]$`)

// clientScenarios returns the scenarios for clients that belong to a revision of the protocol.
func (s suite) clientScenarios(t *testing.T, version string) (names []string) {
	t.Helper()
	out, err := exec.Command(s.node, s.program, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(string(out), "Client scenarios")
	all, _, _ = strings.Cut(all, "\nAuthorization server scenarios")
	for _, m := range listed.FindAllStringSubmatch(all, -1) {
		if slices.Contains(strings.Split(m[2], ","), version) {
			names = append(names, m[1])
		}
	}
	return names
}
