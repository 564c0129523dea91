package receipts

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/journal"
)

var noon = time.Date(2020, 11, 28, 12, 0, 0, 0, time.UTC)

// transcript makes lines as Claude Code writes them.
type transcript struct {
	session, cwd string
	lines        []string
	n            int // of lines, and seconds after noon
}

func (s *transcript) add(members string) {
	s.n++
	at := noon.Add(time.Duration(s.n) * time.Second).Format(time.RFC3339)
	s.lines = append(s.lines, fmt.Sprintf(`{%s,"uuid":"%s-%d","timestamp":"%s","sessionId":%q,"cwd":%q}`, members, s.session, s.n, at, s.session, s.cwd))
}

func (s *transcript) call(id, tool string) {
	s.add(fmt.Sprintf(`"type":"assistant","message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":{}}]}`, id, tool))
}

func (s *transcript) answer(id string) {
	s.add(fmt.Sprintf(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"x"}]}`, id))
}

func (s *transcript) refuse(id, tool, command string) {
	s.add(fmt.Sprintf(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"PreToolUse:%s hook error: [%s]: no"}]}`, id, tool, command))
}

func (s *transcript) hook(kind, id, tool, command string, status, took int) {
	s.add(fmt.Sprintf(`"type":"attachment","attachment":{"type":"%s","hookName":"PreToolUse:%s","hookEvent":"PreToolUse","toolUseID":%q,"command":%q,"exitCode":%d,"durationMs":%d}`, kind, tool, id, command, status, took))
}

// read writes files into a folder of records and counts what they hold.
func read(t *testing.T, files map[string]string, q Question) Record {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if q.Here == nil {
		q.Here = func(cwd string) bool { return cwd == "/here" }
	}
	return Read(dir, q)
}

func TestRead(t *testing.T) {
	main := &transcript{session: "s", cwd: "/here"}
	main.call("1", "Bash") // 1
	main.hook("hook_success", "1", "Bash", "talks", 0, 30)
	main.hook("hook_non_blocking_error", "1", "Bash", "fails", 1, 10)
	main.hook("hook_success", "1", "Bash", "of others", 0, 30)
	main.answer("1")        // 5
	main.call("2", "Write") // 6
	main.refuse("2", "Write", "guard")
	main.call("3", "Write")
	main.refuse("3", "Write", "guard") // 9
	agent := &transcript{session: "s", cwd: "/there", n: 20}
	agent.call("4", "Bash") // 21
	agent.hook("hook_success", "4", "Bash", "talks", 0, 50)
	agent.answer("4") // 23
	agent.add(`"type":"attachment","attachment":{"type":"hook_cancelled","hookName":"PostToolUse:Bash","hookEvent":"PostToolUse","toolUseID":"4"}`)
	agent.add(`"type":"attachment","attachment":{"type":"hook_non_blocking_error","hookName":"Stop","hookEvent":"Stop","toolUseID":"5","command":"ends","exitCode":3,"durationMs":4}`)
	agent.add(`"type":"system","subtype":"stop_hook_summary","toolUseID":"5","hookInfos":[{"command":"ends","durationMs":4},{"command":"talks","durationMs":1}]`)
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	text := strings.Join(main.lines, "\n")
	got := read(t, map[string]string{
		"p/s.jsonl": text + "\n", "p/s/subagents/agent-1.jsonl": strings.Join(agent.lines, "\n"),
		"p/fork.jsonl": text, "p/notes.txt": text, "p/empty.jsonl": "",
	}, Question{Commands: []string{"talks", "fails", "guard", "ends"}})
	file := func(name string) cmp.Option {
		return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".File" }, cmp.Comparer(func(a, b string) bool { return strings.HasSuffix(a+b, name) || a != "" || b != "" }))
	}
	want := map[Hook]*Runs{
		{"PreToolUse", "talks"}: {Count: 2, First: at(1), Last: at(22), OK: at(22), Tools: []string{"Bash"}},
		{"PreToolUse", "fails"}: {Count: 1, Failed: 1, First: at(1), Last: at(3), Bad: at(3), Status: 1, Tools: []string{"Bash"}, BadTool: "Bash"},
		{"PreToolUse", "guard"}: {Count: 2, Blocked: 2, First: at(6), Last: at(9), Refused: map[string][]time.Time{"Write": {at(6), at(8)}}, Tools: []string{"Write"}},
		{"Stop", "ends"}:        {Count: 1, Failed: 1, First: at(25), Last: at(25), Bad: at(25), Status: 3},
		{"Stop", "talks"}:       {Count: 1, First: at(26), Last: at(26), OK: at(26)},
	}
	if diff := cmp.Diff(want, got.All.Runs, cmpopts.IgnoreUnexported(Runs{}), cmpopts.EquateEmpty(), file(".jsonl")); diff != "" {
		t.Error(diff)
	}
	tools := map[string]*Calls{
		"Bash":  {Times: []time.Time{at(1), at(21)}, Clean: []time.Time{at(1), at(21)}},
		"Write": {Times: []time.Time{at(6), at(8)}, Blocked: []time.Time{at(6), at(8)}},
	}
	byTime := cmpopts.SortSlices(time.Time.Before)
	if diff := cmp.Diff(tools, got.All.Tools, byTime); diff != "" {
		t.Error(diff)
	}
	if n := got.Here.Runs[Hook{"PreToolUse", "talks"}]; n == nil || n.Count != 1 || got.Here.Runs[Hook{"Stop", "ends"}] != nil {
		t.Errorf("here: %+v", got.Here.Runs)
	}
	if m := got.All.Runs[Hook{"PreToolUse", "talks"}].Median(); m != 50*time.Millisecond {
		t.Errorf("median %v", m)
	}
	if got.All.Stops["PostToolUse"] != 1 || !got.Since.Equal(at(1)) || got.Cut || !got.All.Well("").Equal(at(1)) || !got.All.Well("Bash").Equal(at(21)) {
		t.Errorf("%+v", got)
	}
	later := read(t, map[string]string{"p/s.jsonl": text}, Question{Commands: []string{"talks"}, Since: at(4)})
	if len(later.All.Runs) != 0 || len(later.All.Tools["Write"].Times) != 2 || later.All.Tools["Bash"] != nil {
		t.Errorf("since: %+v", later.All)
	}
}

// Nothing in a folder of records stops the reader, and what it is not asked for stays there.
func TestHostileRecords(t *testing.T) {
	good := &transcript{session: "s", cwd: "/here"}
	good.add(`"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash\u001b[2J"}]}`)
	good.hook("hook_success", "1", "Bash", "talks", 0, 30)
	long := &transcript{session: "l", cwd: "/here"}
	long.call("2", strings.Repeat("x", maxLine))
	deep := strings.Repeat(`{"type":"tool_use","message":`, 100_000)
	got := read(t, map[string]string{
		"p/s.jsonl":    deep + "\n" + long.lines[0] + "\n\x00\xff\n" + `{"type":"tool_use"` + "\n" + strings.Join(good.lines, "\n"),
		"p/deep.jsonl": deep,
	}, Question{Commands: []string{"talks"}})
	if len(got.All.Tools) != 1 || got.All.Runs[Hook{"PreToolUse", "talks"}].Count != 1 || len(got.All.Runs) != 1 {
		t.Errorf("%+v", got.All)
	}
	if gone := Read(filepath.Join(t.TempDir(), "none"), Question{}); !gone.Since.IsZero() || gone.Cut {
		t.Errorf("%+v", gone)
	}
}

// A line of 100 MB is skipped, and is never in memory as a whole.
func TestLongLine(t *testing.T) {
	s := &transcript{session: "s", cwd: "/here"}
	s.call("1", "Bash")
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "a.jsonl"))
	if err == nil {
		err = f.Truncate(100 << 20)
	}
	if err == nil {
		_, err = f.WriteAt([]byte("\n"+s.lines[0]+"\n"), 100<<20)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Read(dir, Question{Here: func(string) bool { return true }})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; got.All.Tools["Bash"] == nil || used > 8<<20 {
		t.Errorf("%+v, %d bytes", got.All.Tools, used)
	}
}

// Of more than is read, the newest is counted, and the record begins where all of it was read.
func TestBounds(t *testing.T) {
	s := &transcript{session: "s", cwd: "/here"}
	for i := range 10 {
		s.call(fmt.Sprint(i), "Bash")
	}
	dir := t.TempDir()
	for name, lines := range map[string][]string{"new.jsonl": s.lines[4:], "old.jsonl": s.lines[:4]} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "old.jsonl" {
			if err := os.Chtimes(path, noon, noon.Add(time.Second)); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := func(lines []string) int { return len(strings.Join(lines, "\n")) + 1 }
	for _, c := range []struct{ bytes, calls, since int }{
		{1 << 20, 10, 1},
		{size(s.lines[4:]), 6, 5},
		{size(s.lines) - 1, 6, 5},
	} {
		got := Read(dir, Question{Here: func(string) bool { return true }, Bytes: int64(c.bytes)})
		if n := len(got.All.Tools["Bash"].Times); n != c.calls || got.Cut != (n < 10) || !got.Since.Equal(noon.Add(time.Duration(c.since)*time.Second)) {
			t.Errorf("%d bytes: %d calls since %v, cut %v", c.bytes, n, got.Since, got.Cut)
		}
	}
}

func TestOwn(t *testing.T) {
	j := journal.In(t.TempDir())
	for i, did := range []string{"nothing", "error", "injected"} {
		if err := j.Append(journal.Entry{Time: noon.Add(time.Duration(i) * time.Second), Verb: "inject", Harness: "h", Did: did, Micros: int64(1000 * (i + 1))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append(journal.Entry{Time: noon, Verb: "inject", Who: "relay", Harness: "h", Did: "nothing"}); err != nil {
		t.Fatal(err)
	}
	got := Own(j, noon)[Hook{"h", "inject"}]
	if got == nil || got.Count != 3 || got.Failed != 1 || !got.OK.After(got.Bad) || got.Median() != 2*time.Millisecond {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	s := &transcript{session: "s", cwd: "/here"}
	s.call("1", "Bash")
	s.hook("hook_cancelled", "1", "Bash", "c", 0, 30)
	s.refuse("1", "Bash", "c")
	s.add(`"type":"system","subtype":"stop_hook_summary","toolUseID":"5","hookInfos":[{"command":"c","durationMs":4}]`)
	f.Add([]byte(strings.Join(s.lines, "\n")))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		got := Read(dir, Question{Commands: []string{"c"}, Here: func(string) bool { return true }})
		for hook, n := range got.All.Runs {
			if hook.Command != "c" || n.Count < n.Failed+n.Blocked || n.Last.Before(n.First) || n.Median() < 0 {
				t.Errorf("%+v: %+v", hook, n)
			}
		}
	})
}

// Lines of Claude Code 2.1.332, without members that are not read, after a call of Bash.
func TestLines(t *testing.T) {
	const begin, end = `{"parentUuid":null,"isSidechain":false,`, `"uuid":"u","timestamp":"2026-11-28T02:24:53.470Z","cwd":"/w","sessionId":"s"}`
	hook := func(members string) string {
		return begin + `"attachment":{"hookName":"PreToolUse:Bash","toolUseID":"c1","hookEvent":"PreToolUse",` + members + `},"type":"attachment",` + end
	}
	result := func(content string) string {
		return begin + `"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":` + content + `,"is_error":true,"tool_use_id":"c1"}]},` + end
	}
	commands := map[string]bool{"guard": true, "guard]: x": true, "a b ${HOME}": true, "c": true}
	for name, c := range map[string]struct{ line, want string }{
		"it talks":        {hook(`"type":"hook_success","content":"x","stdout":"x\n","exitCode":0,"command":"c","durationMs":73`), "PreToolUse c: 1 run, OK, 73ms"},
		"it fails":        {hook(`"type":"hook_non_blocking_error","stderr":"x","exitCode":127,"command":"c","durationMs":7`), "PreToolUse c: 1 run, failed 127, 7ms"},
		"it hangs":        {hook(`"type":"hook_cancelled","command":"c","durationMs":1023,"timedOut":true,"timeoutMs":1000`), "PreToolUse c: 1 run, timed out, 1.023s"},
		"it is ended":     {hook(`"type":"hook_cancelled"`), "1 stopped"},
		"it tells":        {hook(`"type":"hook_blocking_error","blockingError":{"blockingError":"[c]: y","command":"c"}`), "PreToolUse c: 1 run, blocked"},
		"its context":     {hook(`"type":"hook_additional_context","content":["x"]`), ""},
		"of another":      {hook(`"type":"hook_success","content":"x","command":"d"`), ""},
		"without a name":  {hook(`"type":"hook_non_blocking_error","exitCode":0`), ""},
		"it blocks":       {result(`"PreToolUse:Bash hook error: [guard]: no\n"`), "PreToolUse guard: 1 run, blocked Bash"},
		"in brackets":     {result(`"PreToolUse:Bash hook error: [guard]: x]: no\n"`), "PreToolUse guard]: x: 1 run, blocked Bash"},
		"with arguments":  {result(`"PreToolUse:Bash hook error: [a b ${HOME}]: No stderr output"`), "PreToolUse a b ${HOME}: 1 run, blocked Bash"},
		"another tool":    {result(`"PreToolUse:Read hook error: [guard]: no"`), ""},
		"another command": {result(`"PreToolUse:Bash hook error: [other]: no"`), ""},
		"a decision":      {result(`"PreToolUse:Bash hook error: why"`), ""},
		"an error":        {result(`"Exit code 1"`), ""},
		"a list":          {result(`[{"type":"text","text":"PreToolUse:Bash hook error: [guard]: no"}]`), ""},
		"a call":          {begin + `"message":{"content":[{"type":"text","text":"x"},{"id":"c2","input":{"command":"true"},"name":"Read","type":"tool_use"}]},"type":"assistant",` + end, "Read called"},
		"an answer":       {begin + `"type":"user","message":{"role":"user","content":[{"tool_use_id":"c1","type":"tool_result","content":"x"}]},` + end, "Bash answered"},
		"a turn's end":    {begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":[{"command":"c","durationMs":25}],"toolUseID":"c2",` + end, "Stop c: 1 run, OK, 25ms"},
		"a request":       {`{"type":"api-request-blob","message":{"content":[{"id":"c2","name":"Read","type":"tool_use"}]},` + end, ""},
		"a prompt":        {begin + `"type":"user","message":{"role":"user","content":"x"},` + end, ""},
		"no time":         {begin + `"type":"user","message":{},"uuid":"u"}`, ""},
		"half":            {begin + `"type":"user","mess`, ""},
		"not a list":      {begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":{"a":1},` + end, ""},
	} {
		tally := newTally()
		tally.Tools["Bash"], tally.calls["c1"] = &Calls{}, call{"Bash", noon}
		if l, ok := parse([]byte(c.line)); ok {
			tally.add(l, "f", commands)
		}
		if got := said(tally); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// said returns what a tally of one line says.
func said(t Tally) (text string) {
	for hook, n := range t.Runs {
		text = fmt.Sprintf("%s %s: %d run", hook.Event, hook.Command, n.Count)
		switch {
		case n.TimedOut:
			text += ", timed out"
		case n.Failed > 0:
			text += fmt.Sprint(", failed ", n.Status)
		case len(n.Refused) > 0:
			text += ", blocked " + slices.Collect(maps.Keys(n.Refused))[0]
		case n.Blocked > 0:
			text += ", blocked"
		case !n.OK.IsZero():
			text += ", OK"
		}
		if n.Median() > 0 {
			text += ", " + n.Median().String()
		}
	}
	for name, c := range t.Tools {
		if len(c.Times) > 0 {
			text += name + " called"
		} else if len(c.Clean) > 0 {
			text += name + " answered"
		}
	}
	if t.Stops["PreToolUse"] > 0 {
		text += "1 stopped"
	}
	return text
}
