// Package configgen generates random configuration files for tests, in random styles: indentation, newlines,
// comments, order, spellings. Every file is valid, and the same seed gives the same file.
//
// It must not know what a test does with the files, nor where they go.
package configgen

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// BOM is the byte order mark that some editors write at the start of a file.
const BOM = "\ufeff"

// Rules are a harness's requirements for a file that registers hooks. The zero value requires only the structure.
type Rules struct {
	Flat     bool     // handlers are directly in the event's list, without groups
	Preset   string   // a raw member that the file must have, such as "version": 1
	Events   []string // the possible events
	Comments bool     // comments and trailing commas are allowed
	Typed    bool     // matchers are strings, handlers are commands, numbers fit a float
	Lone     bool     // the file has only hooks and a description
	Bare     bool     // no byte order mark, and no // in a string
}

// Mark is another program's value that every generated document contains.
const Mark = "MARK"

// commands are hooks of other programs. Some look like those of wsi.
var commands = []string{"guard", "/opt/wsi/x inject --harness codex", "echo wsi inject --harness claude-code", "wsi-inject", "node \"/a b/ü.js\" --x='1'", "wsi", "~/wsi/capture.sh"}

var more = flag.Int("more", 1, "multiply the number of random cases")

// Each runs a test with n random generators, times the flag -more, and stops at the first failure.
func Each(t *testing.T, n int, do func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	n *= *more
	for seed := range uint64(n) {
		if do(t, rand.New(rand.NewPCG(seed, 1))); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d random cases", n)
}

// writer writes one document in one random style.
type writer struct {
	*rand.Rand
	comments      bool
	lines         bool
	unit, newline string
	colon, gap    string
	trailing      bool
	bare, finite  bool
	keys          int
}

func newWriter(r *rand.Rand, comments bool) *writer {
	w := &writer{Rand: r, comments: comments, lines: r.IntN(4) > 0}
	w.unit = w.pick("\t", "  ", "    ", " ")
	w.newline = w.pick("\n", "\r\n")
	w.colon, w.gap = ": ", " "
	if !w.lines && r.IntN(2) == 0 {
		w.colon, w.gap = ":", ""
	}
	w.trailing = comments && r.IntN(2) == 0
	return w
}

func (w *writer) pick(s ...string) string { return s[w.IntN(len(s))] }

// ends applies the writer's newlines and perhaps a byte order mark.
func (w *writer) ends(text string, mark bool) string {
	if w.newline == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if mark && w.IntN(8) == 0 {
		text = BOM + text
	}
	return text
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// key returns a key that is not yet in the document.
func (w *writer) key() string {
	w.keys++
	n := strconv.Itoa(w.keys)
	return w.pick("k."+n, "key "+n, "hooks"+n, "HOOKS"+n, "ü"+n, "//"+n, "a/"+n, "-", "", "#"+n) + "_" + n
}
