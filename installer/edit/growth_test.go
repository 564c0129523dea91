package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/growthtest"
)

// largeFiles are files that anyone can put into a repository.
var largeFiles = map[string]struct {
	kind string // of fileLike
	of   func(n int) string
}{
	"a hook in each group":    {"json", jsonGroups(`{"matcher":"Bash","hooks":[{"type":"command","command":"echo %d"}]}`)},
	"all hooks in one group":  {"json", jsonList(`{"hooks":{"PreToolUse":[{"hooks":[`, `{"type":"command","command":"echo %d"}`, `]}]}}`)},
	"an event for each hook":  {"json", jsonList(`{"hooks":{`, `"E%d":[{"hooks":[{"command":"x"}]}]`, `}}`)},
	"the same event again":    {"json", jsonList(`{"hooks":{`, `"Stop":[{"hooks":[{"command":"x%d"}]}]`, `}}`)},
	"members of one hook":     {"json", jsonList(`{"hooks":{"PreToolUse":[{"hooks":[{`, `"m%d":1`, `}]}]}}`)},
	"members of the document": {"json", jsonList(`{`, `"m%d":1`, `}`)},
	"comments":                {"jsonc", jsonList(`{"hooks":{"preToolUse":[`, "// one\n/* two */{\"command\":\"echo %d\"}", `]}}`)},
	"a flat list":             {"jsonc", jsonList(`{"hooks":{"preToolUse":[`, `{"command":"echo %d"}`, `]}}`)},
	"a table for each hook":   {"toml", lines("[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"echo %d\"\n")},
	"hooks of one table": {"toml", func(n int) string {
		return "[[hooks.PreToolUse]]\n" + lines("[[hooks.PreToolUse.hooks]]\ncommand = \"echo %d\"\n")(n)
	}},
	"inline tables":    {"toml", jsonList("hooks.PreToolUse = [", `{hooks = [{command = "echo %d"}]}`, "]\n")},
	"tables of events": {"toml", lines("[[hooks.E%d]]\nhooks = [{command = \"x\"}]\n")},
	"other tables":     {"toml", lines("[projects.\"/p%d\"]\ntrust_level = \"trusted\"\n")},
}

func jsonGroups(group string) func(n int) string {
	return jsonList(`{"hooks":{"PreToolUse":[`, group, `]}}`)
}

func jsonList(before, each, after string) func(n int) string {
	return func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(strings.Replace(each, "%d", "%[1]d", 1), i)
		}
		return before + strings.Join(all, ",\n") + after
	}
}

func lines(each string) func(n int) string {
	return func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, each, i)
		}
		return b.String()
	}
}

// A large file takes as much longer as it is larger, whatever is done with it. For TOML that holds for a few hundred tables: the
// parser compares each table with the ones before it, and files with more than 15,000 signs of keys and lists are refused.
func TestTimeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, large := range largeFiles {
		file := fileLike(large.kind)
		servers, few := registryOf("json"), 150
		if large.kind == "toml" {
			servers, few = registryOf("toml"), 40
		}
		for what, do := range map[string]func(content []byte){
			"Hooks":   func(content []byte) { _, _ = Hooks(file, content) },
			"Entries": func(content []byte) { _, _ = Entries(file, content) },
			"Install": func(content []byte) {
				if after, made, err := Install(file, content); err == nil {
					_, _ = Remove(file, after, made)
				}
			},
			"Mask":    func(content []byte) { Mask(file.Format, content, content) },
			"Servers": func(content []byte) { _, _ = Servers(servers, content) },
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				growthtest.Linear(t, few, func(n int) func() {
					content := []byte(large.of(n))
					if _, err := Hooks(file, content); err != nil {
						t.Fatal(err)
					}
					return func() { do(bytes.Clone(content)) }
				})
			})
		}
	}
}

// A repository can register wsi for thousands of servers, and setup then proposes hooks that name them all; it can register many
// servers, and nest lists and keys.
func TestOtherTimesAreLinear(t *testing.T) {
	naming := func(of func(n int) string) func(n int) func() {
		return func(n int) func() {
			file, content := fileLike("json"), []byte(of(n))
			for i := range file.Entries {
				file.Entries[i].Command += strings.Repeat(" --server shop", n)
			}
			return func() { _, _ = Entries(file, content) }
		}
	}
	wrapping := func(kind string, of func(n int) string) func(n int) func() {
		return func(n int) func() {
			content := []byte(of(n))
			return func() {
				after, made, err := Wrap(registryOf(kind), content, frontFor("s7"), noLogin)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Unwrap(registryOf(kind), after, made); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	masking := func(format setup.Format, of func(n int) string) func(n int) func() {
		return func(n int) func() {
			content := []byte(of(n))
			return func() { Mask(format, content, content) }
		}
	}
	for name, c := range map[string]struct {
		few int
		of  func(n int) func()
	}{
		"a hook for each server": {150, naming(jsonGroups(`{"hooks":[{"type":"command","command":"/usr/local/bin/wsi inject --harness claude-code --server s%d"}]}`))},
		"hooks of others":        {150, naming(jsonGroups(`{"hooks":[{"type":"command","command":"echo %d"}]}`))},
		"servers in JSON":        {200, wrapping("json", jsonList(`{"mcpServers":{`, `"s%d":{"command":"x","args":["a"]}`, `}}`))},
		"servers in TOML":        {40, wrapping("toml", lines("[mcp_servers.s%d]\ncommand = \"x\"\nargs = [\"a\"]\n"))},
		"nested lists":           {1000, masking(setup.JSON, func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` })},
		"nested objects":         {1000, masking(setup.JSON, func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) })},
		"keys of TOML": {500, masking(setup.TOML, func(n int) string {
			return strings.Repeat("a.", n) + "a = 1\n[" + strings.Repeat("b.", n) + "b]\n"
		})},
	} {
		t.Run(name, func(t *testing.T) { growthtest.Linear(t, c.few, c.of) })
	}
}

// Each entry of wsi is changed by itself, in a file that is parsed again. A file with thousands of them is refused.
func TestManyEntriesOfWsi(t *testing.T) {
	file := fileLike("json")
	entry := jsonGroups(`{"hooks":[{"type":"command","command":"/usr/local/bin/wsi inject --harness claude-code --server s%d"}]}`)
	for n, want := range map[int]bool{60: true, 2000: false} {
		_, _, err := Install(file, []byte(entry(n)))
		_, err2 := Remove(file, []byte(entry(n)), nil)
		if (err == nil) != want || (err2 == nil) != want {
			t.Errorf("%d hooks: %v, %v", n, err, err2)
		}
	}
	front, _ := frontFor("s")("s")
	command, _ := json.Marshal(front.Before([]string{"server"})[1:])
	relays := jsonList(`{"mcpServers":{`, `"s%d":{"command":"/usr/local/bin/wsi","args":`+string(command)+`}`, `}}`)
	for n, want := range map[int]bool{60: true, 2000: false} {
		if _, err := Unwrap(registryOf("json"), []byte(relays(n)), nil); (err == nil) != want {
			t.Errorf("%d relays: %v", n, err)
		}
	}
}
