//go:build !windows

package wizard

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/spinner"

	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/terminal"
)

// crowd is a home with fourteen harnesses, and more servers than a small window has lines.
var crowd = func() map[string]string {
	all := maps.Clone(home)
	servers := `"workflow-server":{"command":"npx"}`
	for i := range 20 {
		servers += fmt.Sprintf(`,"server-%02d":{"command":"npx","args":["workflow-server"]}`, i)
	}
	for _, path := range []string{
		".codeium/windsurf/mcp_config.json", ".qwen/settings.json", ".gemini/settings.json", ".copilot/mcp-config.json",
		".cline/data/settings/cline_mcp_settings.json",
	} {
		all[path] = `{"mcpServers":{` + servers + `}}`
	}
	return all
}()

// many returns the wizard for such a home.
func many(t *testing.T) Config {
	t.Helper()
	c := settle(t, crowd)
	c.Options.Harnesses = registry.All()
	return c
}

// At any window size, the cursor is visible, all text can be reached, and nothing is cut without a mark.
func TestManyHarnesses(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {40, 12}, {80, 12}, {80, 16}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s, err := terminal.Start(t.Context(), terminal.Program{
				Args: []string{os.Args[0], "-test.run=^TestTerminal$"}, Env: append(os.Environ(), wrong+"=many"),
				Width: size[0], Height: size[1],
			})
			if err != nil {
				t.Fatal(err)
			}
			p := watched{t, s, size[1]}
			p.see("review")
			names := []string{}
			for _, h := range registry.All() {
				names = append(names, h.Name)
			}
			for i, name := range names { // down the list, and select what one sees
				if i > 0 {
					s.Press(terminal.Down)
				}
				row := p.at(name)
				s.Press(terminal.Space)
				p.until(name+" is turned", func(lines []string) bool {
					is := cursorRow(lines)
					return strings.Contains(is, name) && strings.Contains(is, "[x]") != strings.Contains(row, "[x]")
				})
			}
			for range names[1:] {
				s.Press(terminal.Up)
			}
			p.at(names[0])

			p.reach(terminal.PageDown, "restart running", "whatever is known of a harness")
			s.Type("?")
			p.see("Keys")
			p.reach(terminal.Down, "fg resumes", "the last key of the help")
			s.Press(terminal.Esc)
			p.at(names[0])

			s.Type("v")
			row := cursorRow(p.see("which MCP"))
			for i := range 20 { // the crowd's are one after the other, somewhere among others
				for !strings.Contains(row, fmt.Sprintf("server-%02d", i)) {
					was := row
					s.Press(terminal.Down)
					row = cursorRow(p.until("the cursor on another row", func(lines []string) bool { return cursorRow(lines) != was && cursorRow(lines) != "" }))
				}
			}
			s.Press(terminal.Enter)
			p.see("review")
			s.Type("q")
			if _, err := s.Exit(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// watched is a wizard with checks after every step.
type watched struct {
	t      *testing.T
	s      *terminal.Session
	height int
}

func (p watched) until(what string, want func(lines []string) bool) []string {
	p.t.Helper()
	screen, err := p.s.Wait(func(screen terminal.Screen) bool { return want(strings.Split(screen.Text(), "\n")) })
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return strings.Split(screen.Text(), "\n")
}

func (p watched) see(text string) []string {
	p.t.Helper()
	return p.until(text, func(lines []string) bool { return strings.Contains(strings.Join(lines, "\n"), text) })
}

// at waits until the cursor is on the row of an inspected harness, and returns the row.
func (p watched) at(name string) string {
	p.t.Helper()
	return cursorRow(p.until("the cursor on "+name, func(lines []string) bool {
		row := cursorRow(lines)
		return strings.Contains(row, name) && (strings.Contains(row, "[x]") || strings.Contains(row, "[ ]") || strings.Contains(row, "–"))
	}))
}

// reach presses a key until a text is visible. Each key must have been drawn before the next: of two pages that are turned
// at once only the second is seen.
func (p watched) reach(key terminal.Key, text, what string) {
	p.t.Helper()
	turning := strings.Join(spinner.MiniDot.Frames, "")
	p.until("every harness is inspected", func(lines []string) bool { return !strings.ContainsAny(strings.Join(lines, ""), turning) })
	for unchanged := 0; unchanged < 3; { // at the end nothing changes that one could wait for
		was := p.s.Screen().Text()
		if strings.Contains(was, text) {
			return
		}
		p.s.Press(key)
		unchanged++
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if p.s.Screen().Text() != was {
				unchanged = 0
				break
			}
		}
	}
	p.t.Fatalf("%s cannot be reached:\n%s", what, p.s.Screen().Text())
}

func cursorRow(lines []string) string {
	for _, line := range lines {
		if strings.Contains(line, "▸") {
			return line
		}
	}
	return ""
}
