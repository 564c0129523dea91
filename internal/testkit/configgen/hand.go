// Package configgen writes random configurations for tests, each in a hand of its own: indentation,
// newlines, comments, order, spellings. Every one is valid, and the same seed writes the same.
//
// It must not know what a test does with them, nor where they go.
package configgen

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// BOM is the byte order mark that some editors put first.
const BOM = "\ufeff"

// Rules are what a harness demands of a file that registers hooks. Without any, only its shape counts.
type Rules struct {
	Flat     bool     // handlers stand in the event's list, without groups
	Preset   string   // a raw member that the file must have, such as "version": 1
	Events   []string // that may be in it
	Comments bool     // comments and trailing commas are allowed
	Typed    bool     // matchers are strings, handlers commands, numbers no greater than a float's
	Lone     bool     // nothing stands beside the hooks but a description
	Bare     bool     // no byte order mark, no // in a string
}

// Mark is somewhere in every document that has room for it: another program's value, to be edited.
const Mark = "MARK"

// commands are others' hooks; some only look like wsi's.
var commands = []string{"guard", "/opt/wsi/x inject --harness codex", "echo wsi inject --harness claude-code", "wsi-inject", "node \"/a b/ü.js\" --x='1'", "wsi", "~/wsi/capture.sh"}

var more = flag.Int("more", 1, "how many times as many random cases")

// Each runs a test with n generators, times the flag -more, and stops at the first that fails.
func Each(t *testing.T, n int, do func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	n *= *more
	for seed := range uint64(n) {
		if do(t, rand.New(rand.NewPCG(seed, 1))); t.Failed() { //nolint:gosec // not for secrets
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d random cases", n)
}

// writer writes one document in a random, but steady, hand.
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

// ends gives a text the writer's, and perhaps what some editors do at its ends.
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

// key is a new one in this document.
func (w *writer) key() string {
	w.keys++
	n := strconv.Itoa(w.keys)
	return w.pick("k."+n, "key "+n, "hooks"+n, "HOOKS"+n, "ü"+n, "//"+n, "a/"+n, "-", "", "#"+n) + "_" + n
}
