package edit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
)

// writer writes a random configuration in a random, but steady, hand.
type writer struct {
	*rand.Rand
	comments      bool
	lines         bool
	unit, newline string
	colon, gap    string
	trailing      bool
}

func newWriter(r *rand.Rand, comments bool) *writer {
	w := &writer{Rand: r, comments: comments, lines: r.IntN(4) > 0}
	w.unit = []string{"\t", "  ", "    ", " "}[r.IntN(4)]
	w.newline = []string{"\n", "\r\n"}[r.IntN(2)]
	w.colon, w.gap = ": ", " "
	if !w.lines && r.IntN(2) == 0 {
		w.colon, w.gap = ":", ""
	}
	w.trailing = comments && r.IntN(2) == 0
	return w
}

func (w *writer) comment() string {
	if !w.comments || w.IntN(4) > 0 {
		return ""
	}
	if w.lines && w.IntN(2) == 0 {
		return " // it's, \"a\": {comment}"
	}
	return " /* a, comment ] */"
}

func (w *writer) container(open, shut, indent string, n int, member func(i int, indent string) string) string {
	if n == 0 {
		return open + shut
	}
	var b strings.Builder
	b.WriteString(open)
	inner := indent + w.unit
	for i := range n {
		if w.lines {
			b.WriteString(w.newline + inner)
		} else if i > 0 {
			b.WriteString(w.gap)
		}
		b.WriteString(member(i, inner))
		if i < n-1 || w.trailing && w.lines {
			b.WriteString(",")
		}
		if w.lines {
			b.WriteString(w.comment())
		}
	}
	if w.lines {
		b.WriteString(w.newline + indent)
	}
	return b.String() + shut
}

func (w *writer) list(indent string, n int, element func(indent string) string) string {
	return w.container("[", "]", indent, n, func(_ int, indent string) string { return element(indent) })
}

func (w *writer) object(indent string, members ...func(indent string) string) string {
	return w.container("{", "}", indent, len(members), func(i int, indent string) string { return members[i](indent) })
}

func (w *writer) pair(key string, value func(indent string) string) func(string) string {
	return func(indent string) string { return quote(key) + w.colon + value(indent) }
}

func (w *writer) scalar(string) string {
	return []string{"1", "12345678901234567890", "1.50e+3", "true", "null", `"x"`, `"\u00e9\/ // no comment, \" [{"`, `"ü"`, `""`}[w.IntN(9)]
}

func (w *writer) value(depth int) func(string) string {
	return func(indent string) string {
		switch n := w.IntN(3); {
		case depth == 0 || w.IntN(2) == 0:
			return w.scalar(indent)
		case w.IntN(2) == 0:
			return w.list(indent, n, w.value(depth-1))
		default:
			var ms []func(string) string
			for i := range n {
				ms = append(ms, w.pair(fmt.Sprint("k.", i), w.value(depth-1)))
			}
			return w.object(indent, ms...)
		}
	}
}

func (w *writer) handler(indent string) string {
	command := []string{"guard", "/opt/wsi/x inject --harness codex", "echo wsi inject --harness claude-code", "wsi-inject"}[w.IntN(4)]
	return w.object(indent, w.pair("type", func(string) string { return `"command"` }), w.pair("command", func(string) string { return quote(command) }), w.pair("x", w.value(1)))
}

func (w *writer) event(shape harnesses.Shape) func(string) string {
	return func(indent string) string {
		return w.list(indent, w.IntN(3), func(indent string) string {
			if shape == harnesses.Flat {
				return w.handler(indent)
			}
			return w.object(indent, w.pair("matcher", w.scalar), w.pair("hooks", func(indent string) string { return w.list(indent, w.IntN(3), w.handler) }))
		})
	}
}

func (w *writer) document(file harnesses.HookFile) string {
	var ms []func(string) string
	for i := range w.IntN(3) {
		ms = append(ms, w.pair(fmt.Sprint("before", i), w.value(2)))
	}
	if len(file.Preset) > 0 {
		ms = append(ms, w.pair("version", func(string) string { return "1" }))
	}
	if w.IntN(4) > 0 {
		var events []func(string) string
		for _, e := range []string{"Stop", file.Entries[0].Event, "Other", file.Entries[1].Event} {
			if w.IntN(2) == 0 {
				events = append(events, w.pair(e, w.event(file.Shape)))
			}
		}
		ms = append(ms, w.pair("hooks", func(indent string) string { return w.object(indent, events...) }))
	}
	if w.IntN(2) == 0 {
		ms = append(ms, w.pair("after", w.value(1)))
	}
	text := w.object("", ms...) + []string{"", w.newline, w.newline + w.newline}[w.IntN(3)]
	if w.IntN(8) == 0 {
		text = bom + text
	}
	return text
}

// For whatever configuration: all entries are there once, nothing of others' is lost, a second run
// changes nothing, and removal gives back the same bytes.
func TestJSONOfEveryHand(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		kind := []string{"json", "jsonc"}[r.IntN(2)]
		file := fileLike(kind)
		before := newWriter(r, kind == "jsonc").document(file)
		after, made, err := Install(file, []byte(before))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		checkInstalled(t, file, after)
		checkKept(t, before, string(after))
		back, err := Remove(file, after, made)
		if err != nil || string(back) != before {
			t.Fatalf("seed %d: %v\nbefore\n%s\nafter\n%s\nremoved\n%s", seed, err, before, after, back)
		}
		surgical, err := Remove(file, after, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if left, err := Entries(file, surgical); err != nil || anyOurs(left) {
			t.Fatalf("seed %d: left %v %v", seed, left, err)
		}
		if t.Failed() {
			t.Fatalf("seed %d\nbefore\n%s\nafter\n%s", seed, before, after)
		}
	}
}

// checkKept: every byte of before is in after, in the same order.
func checkKept(t *testing.T, before, after string) {
	t.Helper()
	at := 0
	for i := range len(before) {
		n := strings.IndexByte(after[at:], before[i])
		if n < 0 {
			t.Errorf("from byte %d on, %q is gone", i, before[i:])
			return
		}
		at += n + 1
	}
}

func anyOurs(all []Found) bool {
	for _, f := range all {
		if f.Ours {
			return true
		}
	}
	return false
}

func TestTOMLOfEveryHand(t *testing.T) {
	group := []string{`{ hooks = [{ type = "command", command = "guard" }] }`, `{ matcher = "B", hooks = [] }`, `{ hooks = [ { command = 'wsi x' }, # c, ]` + "\n" + `] }`}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		pick := func(s ...string) string { return s[r.IntN(len(s))] }
		groups := func() string {
			return pick("[]", "["+pick(group...)+"]", "[ "+pick(group...)+", "+pick(group...)+" ]", "[\n  "+pick(group...)+",\n  "+pick(group...)+pick("", ",", ", # c, ]")+"\n]")
		}
		var b strings.Builder
		b.WriteString(pick("", "# first\n", "model = \"x\" # [hooks]\n", "x = nan\ny = 1979-05-27\n"))
		switch r.IntN(6) {
		case 0:
			b.WriteString("hooks.PreToolUse = " + groups() + "\n" + pick("", "hooks.Stop = "+groups()+"\n"))
		case 1:
			b.WriteString("hooks = { " + pick("PreToolUse = "+groups(), "Stop = []", "\"PostToolUse\" = "+groups()) + " }\n")
		case 2:
			b.WriteString("[hooks] # h\n" + pick("", "PreToolUse = "+groups()+"\n") + pick("", "PostToolUse = "+groups()+" # c\n"))
		case 3:
			for range 1 + r.IntN(3) {
				b.WriteString(pick("\n", "") + "[[hooks." + pick("PreToolUse", "Stop", "'PostToolUse'") + "]]\n" + pick("", "matcher = 'Bash'\n") + "[[ hooks.Z.hooks ]]\n"[:0] + pick("hooks = []\n", "  hooks = [{ command = \"x\" }]\n"))
			}
		case 4:
			b.WriteString("[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = \"x\"\n[[hooks.PreToolUse.hooks]]\ncommand = '''y\n'''\n")
		}
		b.WriteString(pick("", "\n[tui]\nx = [ 1, # one\n 2 ]\n", "[hooks.state.\"a.b:0:0\"]\ntrusted_hash = \"sha256:1\"\n", "# last\n"))
		before := b.String()
		if r.IntN(3) == 0 {
			before = strings.ReplaceAll(before, "\n", "\r\n")
		}
		file := fileLike("toml")
		after, made, err := Install(file, []byte(before))
		if err != nil {
			if _, bad := decodeTOML([]byte(before)); bad != nil {
				continue // two of the pieces do not go together
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		checkInstalled(t, file, after)
		checkKept(t, before, string(after))
		trusted, err := SetTrust(after, record("sha256:2"))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, after)
		}
		back, err := RemoveTrust(trusted, []harnesses.TrustRecord{record("sha256:2")})
		if err == nil {
			back, err = Remove(file, back, made)
		}
		if before == "" && len(back) == 0 {
			continue
		}
		if strings.Contains(before, "hooks = {") && err == nil { // a table "state" in braces stays, empty
			back = []byte(strings.Replace(string(back), ", state = {} }", " }", 1))
		}
		if err != nil || string(back) != before || t.Failed() {
			t.Fatalf("seed %d: %v\nbefore\n%s\nafter\n%s\nremoved\n%s", seed, err, before, after, back)
		}
	}
}

// FuzzJSON: whatever is installed into still parses, holds the entries, is left alone by a second
// run, and means after removal what it meant before.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "{}", "{\"a\":1}", "\ufeff{\r\n\t\"hooks\": {\r\n\t}\r\n}", "{ // c\n\"hooks\":{\"preToolUse\":[{},],},}", "{\"hooks\":{\"PreToolUse\":[[],1,null,{\"hooks\":[{}]}]}}", "{\"hooks\":{\"PreToolUse\" : [ ] } }"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, before []byte, comments bool) {
		file := fileLike("json")
		if comments {
			file = fileLike("jsonc")
		}
		after, made, err := Install(file, before)
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		if all, err := Entries(file, before); err != nil || anyOurs(all) {
			return
		}
		back, err := Remove(file, after, made)
		if err != nil {
			t.Fatal(err)
		}
		was, is := meaning(t, before, comments), meaning(t, back, comments)
		if v, ok := is["version"]; comments && was["version"] == nil && ok && fmt.Sprint(v) == "1" {
			delete(is, "version") // stays while others' hooks need it
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("before %q\nafter removal %q", before, back)
		}
	})
}

func meaning(t *testing.T, content []byte, comments bool) map[string]any {
	t.Helper()
	content = []byte(strings.TrimPrefix(string(content), bom))
	if isBlank(content) {
		return map[string]any{}
	}
	if comments {
		content = jsonc.ToJSON(content)
	}
	var v map[string]any
	if err := json.Unmarshal(content, &v); err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	return v
}

// FuzzTOML is FuzzJSON for TOML, with a trust record.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a=1", "hooks={}", "[hooks]\nPreToolUse=[]", "[[hooks.PreToolUse]]\nhooks=[{}]", "hooks.state={}", "[hooks.state]\n\"/home/u/.codex/hooks.json:pre_tool_use:0:0\".enabled=true", "\ufeffa=1\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		file := fileLike("toml")
		after, made, err := Install(file, before)
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		after, err = SetTrust(after, record("sha256:1"))
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		back, err := RemoveTrust(after, []harnesses.TrustRecord{record("sha256:1")})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Entries(file, before)
		if err != nil {
			t.Fatal(err)
		}
		if back, err = Remove(file, back, made); err != nil {
			t.Fatal(err)
		}
		if anyOurs(all) || strings.Contains(string(before), "trusted_hash") {
			return
		}
		was, err := decodeTOML([]byte(strings.TrimPrefix(string(before), bom)))
		if err != nil {
			t.Fatal(err)
		}
		is, err := decodeTOML([]byte(strings.TrimPrefix(string(back), bom)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(normal(was), normal(is)) {
			t.Errorf("before %q\nafter removal %q", before, back)
		}
	})
}
