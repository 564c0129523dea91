package recorded_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/recorded"
	"wsi/hook/replay"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/linktest"
)

// visitor counts recordings by harness.
type visitor struct {
	counts  map[string]*replay.Replay
	now     *replay.Replay
	skipped map[string]int
	bytes   int64
}

func newVisitor() *visitor {
	return &visitor{counts: map[string]*replay.Replay{}, skipped: map[string]int{}}
}

func (v *visitor) Begin(h harnesses.Harness, _ int64) {
	if v.counts[h.ID] == nil {
		v.counts[h.ID] = replay.New()
	}
	v.now = v.counts[h.ID]
	v.now.Begin()
}
func (v *visitor) Step(s harnesses.Step) { v.now.Step(s) }
func (v *visitor) End()                  { v.now.End() }
func (v *visitor) Skip(why string)       { v.skipped[why]++ }
func (v *visitor) Read(n int)            { v.bytes += int64(n) }

func files(t testing.TB) *recorded.Files {
	t.Helper()
	return &recorded.Files{Env: envtest.New(t, nil, nil), Harnesses: registry.All()}
}

// The three harnesses recorded the same script: see testdata/README.md.
var want = replay.Counts{
	Calls: 13, Failed: 6, Typed: 12, Exact: 7, Near: 2, Cut: 1, Rounded: 1, Invented: 1, FailedOver: 5,
	Passed: 2, Gone: 1, OnList: 1, Hints: 4, Right: 2,
}

func TestCounts(t *testing.T) {
	v := newVisitor()
	for range 2 { // what was recorded twice is counted once
		if err := files(t).Visit("testdata", v); err != nil {
			t.Fatal(err)
		}
	}
	if ids := slices.Sorted(maps.Keys(v.counts)); !slices.Equal(ids, []string{"claude-code", "codex", "opencode"}) {
		t.Errorf("recordings of %v", ids)
	}
	for id, c := range v.counts {
		if len(c.Servers) != 1 || c.Servers["shop"] == nil || *c.Servers["shop"] != want {
			t.Errorf("%s: %+v, want %+v", id, c.Servers["shop"], want)
		}
		if c.Compactions != 1 || c.Lists != 1 || c.Unreadable != 0 || c.Sessions != 2 {
			t.Errorf("%s: %d compactions, %d lists, %d sessions", id, c.Compactions, c.Lists, c.Sessions)
		}
	}
	// README.md and opencode.db-wal
	if len(v.skipped) != 1 || v.skipped[recorded.NotRecorded] != 4 {
		t.Errorf("skipped %v", v.skipped)
	}
}

const (
	prompt = `{"parentUuid":null,"type":"user","sessionId":"s","uuid":"u1","message":{"role":"user","content":"hello"}}` + "\n"
	typed  = `{"parentUuid":"u1","type":"assistant","sessionId":"s","uuid":"u2","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"mcp__shop__get","input":{"id":"550e8400-e29b-41d4-a716-446655440000"}}]}}` + "\n"
)

// Parts that cannot be read are skipped with the reason; what is around them is counted.
func TestDamagedFiles(t *testing.T) {
	one := replay.Counts{Calls: 1, Typed: 1, Invented: 1}
	database, err := os.ReadFile(filepath.Join("testdata", "opencode", "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content string
		skipped map[string]int
		counts  replay.Counts
	}{
		"a line that is cut off":       {prompt + typed + typed[:100], map[string]int{harnesses.LineNoJSON: 1}, one},
		"a line of control characters": {prompt + "\x1b[31m\x00\xff\n" + typed, map[string]int{harnesses.LineNoJSON: 1}, one},
		"deep nesting":                 {prompt + `{"type":` + strings.Repeat("[", 1e6) + "\n" + typed, map[string]int{harnesses.LineNoJSON: 1}, one},
		"nesting that ends":            {prompt + `{"type":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + "}\n" + typed, map[string]int{harnesses.LineNoJSON: 1}, one},
		"a long line":                  {prompt + `{"type":"` + strings.Repeat("a", 17<<20) + "\"}\n" + typed, map[string]int{harnesses.LineTooLong: 1}, one},
		"empty lines":                  {prompt + "\n \n" + typed, map[string]int{}, one},
		"other kinds of lines":         {prompt + `{"type":"of a later version","message":[{}]}` + "\n" + `{"type":"user","message":{"content":7}}` + "\n" + typed, map[string]int{}, one},
		"an empty file":                {"", map[string]int{recorded.NotRecorded: 1}, replay.Counts{}},
		"another file":                 {`{"type":"user","name":"x"}`, map[string]int{recorded.NotRecorded: 1}, replay.Counts{}},
		"half of a database":           {string(database[:len(database)/2]), map[string]int{recorded.Damaged: 1}, replay.Counts{}},
		"another database":             {"SQLite format 3\x00" + strings.Repeat("\x00", 4096), map[string]int{recorded.Damaged: 1}, replay.Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			v := newVisitor()
			if err := files(t).Visit(path, v); err != nil {
				t.Fatal(err)
			}
			var got replay.Counts
			for _, counts := range v.counts {
				if shop := counts.Servers["shop"]; shop != nil {
					got.Add(*shop)
				}
			}
			if !maps.Equal(v.skipped, c.skipped) || got != c.counts {
				t.Errorf("skipped %v, want %v; %+v", v.skipped, c.skipped, got)
			}
		})
	}
}

// A folder is read with what is below it, links are not followed, and a path that is not there is an error.
func TestFolders(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(prompt+typed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "a", "b", "x.jsonl"))
	write(filepath.Join(other, "y.jsonl"))
	want := map[string]int{}
	if linktest.Can(t) {
		linktest.Make(t, other, filepath.Join(dir, "link"))
		want[recorded.NoFile] = 1
	}
	v := newVisitor()
	if err := files(t).Visit(dir, v); err != nil || v.bytes == 0 || !maps.Equal(v.skipped, want) || v.counts["claude-code"].Servers["shop"].Calls != 1 {
		t.Errorf("%v, skipped %v", err, v.skipped)
	}
	if err := files(t).Visit(filepath.Join(dir, "none"), v); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".claude/projects/p/s.jsonl": prompt, ".codex/sessions/2026/x.jsonl": "", ".local/share/opencode/opencode.db": "", ".codex/config.toml": "",
	}, nil)
	got := (&recorded.Files{Env: env, Harnesses: registry.All()}).Places()
	for i, path := range got {
		got[i], _ = filepath.Rel(env.Home, path)
	}
	slices.Sort(got)
	want := []string{".claude/projects", ".codex/sessions", ".local/share/opencode/opencode.db"}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A line in the endless file.
const longFrom, longTo = 50 << 20, 1950 << 20

// endless is a conversation that goes on and on, with a line that is longer than the memory that a replay may need.
type endless struct{ lines string }

func (e endless) ReadAt(p []byte, at int64) (int, error) {
	if at >= longFrom && at < longTo {
		n := min(len(p), int(longTo-at))
		for i := range n {
			p[i] = 'a'
		}
		return n, nil
	}
	for n := 0; n < len(p); {
		n += copy(p[n:], e.lines[(int(at)+n)%len(e.lines):])
	}
	return len(p), nil
}

// The memory does not grow with a file: of 2 GB, most of them in one line.
func TestMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString(prompt)
	for i := range 2000 {
		fmt.Fprintf(&b, `{"parentUuid":"u","type":"user","sessionId":"s","uuid":"u%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n", i, i, strings.Repeat(fmt.Sprintf("line %d of file%08x.go\n", i, i*i), 400))
	}
	b.WriteString(typed)
	i := slices.IndexFunc(registry.All(), func(h harnesses.Harness) bool { return h.ID == "claude-code" })
	counts, skipped := replay.New(), map[string]int{}
	steps, most := 0, uint64(0)
	err := registry.All()[i].Capabilities.History.Read(harnesses.Recording{File: endless{b.String()}, Size: 2 << 30}, func(s harnesses.Step) {
		counts.Step(s)
		if steps++; steps%1000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}, func(why string) { skipped[why]++ })
	counts.End()
	if err != nil || most > 160<<20 || steps < 1000 || skipped[harnesses.LineTooLong] != 1 || counts.Servers["shop"].Calls != 1 {
		t.Errorf("%v: %d MB of memory, %d steps, skipped %v, %+v", err, most>>20, steps, skipped, counts.Servers["shop"])
	}
}

// BenchmarkReplay reads what Claude Code records, mostly results with words and names of files.
func BenchmarkReplay(b *testing.B) {
	content, err := os.ReadFile(filepath.Join("testdata", "claude-code", "11111111-1111-4111-8111-111111111111.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	result := fmt.Sprintf(`{"parentUuid":"u","type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":%q}]}}`+"\n", strings.Repeat("the 2nd line of a result, with a name: /usr/lib/x86_64/file01.go\n", 50))
	content = append(content, strings.Repeat(result, 100)...)
	i := slices.IndexFunc(registry.All(), func(h harnesses.Harness) bool { return h.ID == "claude-code" })
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		r := replay.New()
		if err := registry.All()[i].Capabilities.History.Read(harnesses.Recording{File: bytes.NewReader(content), Size: int64(len(content))}, r.Step, func(string) {}); err != nil {
			b.Fatal(err)
		}
	}
}
