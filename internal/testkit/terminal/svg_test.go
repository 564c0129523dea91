package terminal

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func screenOf(w, h int, light bool, written string) Screen {
	e := newEmulator(w, h, light)
	defer e.hangUp()
	go func() { _, _ = io.Copy(io.Discard, e) }()
	e.write([]byte(strings.ReplaceAll(written, "\n", "\r\n")))
	return e.shown()
}

const sample = "\x1b[?25l" +
	" \x1b[1mwsi setup\x1b[m                     look ● choose ● \x1b[1;38;2;121;192;255mreview ◐\x1b[m apply ○\n" +
	"\x1b[2m────────────────────────────────────────────────────────────────\x1b[m\n" +
	" ▸ [x] Claude Code  \x1b[32m✓ ok\x1b[m   ~/.claude/settings.json   2.1.329\n" +
	"   [x] Codex        \x1b[33m! attention\x1b[m  \x1b[4mhttps://example.org/a b\x1b[m\n" +
	"   [ ] Cursor       \x1b[31m✗ broken\x1b[m   漢字|é|\x1b[3mitalic\x1b[m|\x1b[9mgone\x1b[m|\n" +
	"\x1b[32m + 15    \"hooks\": { \"a\" < \"b\" && 'c' }\x1b[m\n" +
	" ╭──────────╮ ┌────┬────┐ \x1b[7m reverse \x1b[m \x1b[48;5;24m 256 \x1b[m\n" +
	" │ rounded  │ │ a  │ b  │ \x1b[41;97;1m bold on red \x1b[m\n" +
	" ╰──────────╯ ├────┼────┤ \x1b[2mfaint\x1b[m\n" +
	" ‹ join ›     └────┴────┘ ↑↓ move  … – — “quoted”"

func TestSVG(t *testing.T) {
	for _, c := range []struct {
		name string
		look Look
	}{{"dark", Dark}, {"light", Light}} {
		got := screenOf(64, 11, false, sample).SVG("wsi setup <1> & more", c.look)
		golden := filepath.Join("testdata", c.name+".svg")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (run go test -update and look at it):\n%s", golden, diff)
		}
	}
}

func TestReplace(t *testing.T) {
	s := screenOf(20, 2, false, "é \x1b[31m/tmp/x\x1b[m 12 ms\n漢 /tmp/xy 7 ms")
	got := s.Replace(regexp.MustCompile(`/tmp/x\b`), func(string) string { return "/ada/longer" }).
		Replace(regexp.MustCompile(`\d+ ms`), func(found string) string { return strings.Repeat("#", len(found)) })
	if want := "é /ada/l #####\n漢 /tmp/xy ####\n"; got.Text() != want {
		t.Errorf("got %q, want %q", got.Text(), want)
	}
	if s.Lines()[0] != "é /tmp/x 12 ms" || got.Cell(2, 0).Fg == nil {
		t.Error("the original screen has changed, or the new text has no color")
	}
}

var large = regexp.MustCompile(`[0-9]{4}`)

// For any output the screen keeps its size and the SVG is valid XML.
func FuzzSVG(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("\x1b[?2026h\x1b[2J\x00\x9b31m\xff\xfe<&>\x1b]0;a;b\x07\x1b[5;5r\x1bM\x1b[99L\x1b[?69h\x1b[2;9s"))
	f.Add([]byte("\x1b[;10r\x1bM\x1b[?69h\x1b[1;99s\x1b[3@"))
	f.Fuzz(func(t *testing.T, written []byte) {
		if large.Match(written) {
			t.Skip("a large repeat count takes too long")
		}
		s := screenOf(20, 5, true, string(written))
		if s.Width != 20 || s.Height != 5 || len(s.cells) != 100 || len(s.Lines()) > 5 {
			t.Fatalf("the screen is %dx%d with %d cells and %d lines", s.Width, s.Height, len(s.cells), len(s.Lines()))
		}
		dec := xml.NewDecoder(bytes.NewReader(s.SVG(string(written), Light)))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
