package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/internal/tui"
)

// The functions of this file test a Bubble Tea model without a terminal.

// Plain returns a screen without colors and without spaces at the end of its lines.
func Plain(screen string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(ansi.Strip(screen), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Compare compares a screen with the one in a file, or records it there if update is set.
func Compare(t *testing.T, update bool, file, got string) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; go test -update records it):\n%s", file, diff)
	}
}

// windows are windows of every shape in which something is drawn differently.
var windows = [][2]int{
	{1, 1}, {39, 30}, {40, 10}, {41, 69}, {60, 20}, {72, 12}, {80, 11}, {80, 24}, {109, 15}, {110, 41}, {200, 60}, {229, 69},
}

// filled fails the test if a screen does not fill its window exactly, if it has no line of keys, or if it contains a
// sequence that is not wsi's own.
func filled(t *testing.T, screen string, width, height int) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if len(lines) != height {
		t.Errorf("%d lines at %dx%d", len(lines), width, height)
	}
	if last := ansi.Strip(lines[len(lines)-1]); width >= tui.LeastWidth && height >= tui.LeastHeight && strings.TrimSpace(last) == "" {
		t.Errorf("no keys at %dx%d:\n%s", width, height, Plain(screen))
	}
	if shown := tui.Screen(screen); strings.Contains(shown, `\u001b`) {
		t.Errorf("a sequence from outside at %dx%d:\n%s", width, height, ansi.Strip(shown))
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("line %d is %d wide at %dx%d: %q", i, w, width, height, ansi.Strip(line))
		}
	}
}

// ASCII fails the test if a text contains another character.
func ASCII(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
		t.Errorf("%.8q in\n%s", text[i:], text)
	}
}

// KeyPress returns the message for a key: a name such as "enter" or "ctrl+c", or a character.
func KeyPress(key string) tea.KeyPressMsg {
	codes := map[string]rune{
		"enter": tea.KeyEnter, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
		"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	}
	switch code, ok := codes[key]; {
	case key == "ctrl+c":
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	case key == "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case ok:
		return tea.KeyPressMsg{Code: code}
	}
	first, _ := utf8.DecodeRuneInString(key)
	return tea.KeyPressMsg{Code: first, Text: key}
}
