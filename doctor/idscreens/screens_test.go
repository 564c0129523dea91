package idscreens

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor/idlist"
	"wsi/hook/handles"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
)

var (
	update = flag.Bool("update", false, "record the screens")
	sizes  = [][2]int{{40, 10}, {80, 24}, {140, 30}}
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

const basket, order = "550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// sessions are one of Codex with two servers and a sub-agent, one of Claude Code with many ids, and one with names
// that no server should have.
func sessions() (all []idlist.Session) {
	var first, second, hostile handles.Session
	call := func(s *handles.Session, harness, server, agent, tool, args, result string) {
		s.Add(handles.Record{
			Time: time.Date(2026, 11, 22, 9, s.Calls(), 0, 0, time.UTC), Harness: harness, Server: server, Agent: agent, Tool: tool,
			Args: handles.InArguments([]byte(args), nil), Result: handles.InResult([]byte(result), nil, nil),
		})
	}
	call(&first, "codex", "shop", "", "create_basket", `{}`, `{"basket_id":"`+basket+`"}`)
	call(&first, "codex", "shop", "", "list_orders", `{}`, `{"order_id":"`+order+`"}`)
	call(&first, "codex", "runs", "helper", "create_run", `{}`, `{"run":"run_`+strings.Repeat("a1b2c3d4", 14)+`"}`)
	call(&first, "codex", "shop", "", "delete_basket", `{"basket_id":"`+basket+`"}`, `{}`)
	call(&first, "codex", "shop", "", "get_order", `{"order_id":"`+order+`"}`, `{}`)
	for i := range 60 {
		call(&second, "claude-code", "issues", "", "list_issues", `{}`, fmt.Sprintf(`{"issue_id":"%s%02d"}`, basket[:34], i))
	}
	call(&hostile, "codex\x1b[31m", "a\nFORGED\u202e", "", "create\x1bc", `{}`, `{"\u001b[2J":"`+basket+`"}`)
	for i, s := range []*handles.Session{&first, &second, &hostile} {
		if session, ok := idlist.Of(fmt.Sprintf("%08x4567", 0x2bad1dea+i), s); ok {
			all = append(all, session)
		}
	}
	return all
}

// journeys lead to every screen.
var journeys = []struct {
	name, keys string // separated by commas
	problem    string
}{
	{name: "sessions"},
	{name: "sessions-filter-typed", keys: "/,i,s,s,u"},
	{name: "sessions-filter", keys: "/,i,s,s,u,enter"},
	{name: "nothing-matches", keys: "/,z,z,enter"},
	{name: "problem", problem: "read ids: open ~/.local/state/wsi/handles/0123.jsonl: permission denied"},
	{name: "ids", keys: "enter"},
	{name: "ids-shown", keys: "enter,v"},
	{name: "ids-many-end", keys: "down,enter,end"},
	{name: "ids-hostile", keys: "end,enter"},
	{name: "ids-filter", keys: "enter,/,r,u,n,enter"},
	{name: "id", keys: "enter,end,enter"},
	{name: "id-shown", keys: "enter,end,enter,v"},
	{name: "list", keys: "c"},
	{name: "list-shown", keys: "enter,v,c"},
	{name: "list-empty", keys: "down,c"},
	{name: "help", keys: "?"},
	{name: "help-end", keys: "?,end"},
}

// play returns the model after these keys.
func play(t *testing.T, c Config, width, height int, keys string) model {
	t.Helper()
	c.List = idlist.New(sessions())
	m := send(newModel(c), tea.WindowSizeMsg{Width: width, Height: height}, tui.DrawMsg{})
	return press(m, keys)
}

func send(m model, messages ...tea.Msg) model {
	for _, msg := range messages {
		next, _ := m.Update(msg)
		m = next.(model)
	}
	return m
}

func press(m model, keys string) model {
	for k := range strings.FieldsFuncSeq(keys, func(r rune) bool { return r == ',' }) {
		m = send(m, terminal.KeyPress(k))
	}
	return m
}

func plain(m model) string { return terminal.Plain(m.screen()) }

func TestScreens(t *testing.T) {
	for _, size := range sizes {
		for _, j := range journeys {
			at := fmt.Sprintf("%dx%d", size[0], size[1])
			t.Run(at+"/"+j.name, func(t *testing.T) {
				got := plain(play(t, Config{Problem: j.problem}, size[0], size[1], j.keys))
				terminal.Compare(t, *update, filepath.Join("testdata", at, j.name+".txt"), got)
			})
		}
	}
}

// Every screen fills its window exactly, at any size, whatever happens to the window meanwhile.
func TestEverySizeIsFilled(t *testing.T) {
	for _, j := range journeys {
		m := play(t, Config{Problem: j.problem}, 80, 24, j.keys)
		for _, ascii := range []bool{false, true} {
			m.ASCII, m.theme.ASCII = ascii, ascii
			for _, size := range [][2]int{{1, 1}, {39, 30}, {40, 10}, {41, 69}, {60, 20}, {80, 24}, {109, 15}, {229, 69}} {
				m = send(m, tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				terminal.Filled(t, m.screen(), size[0], size[1])
				if !m.reads() && !tui.Small(m.width, m.height) && m.count() > 0 && !strings.Contains(plain(m), "\n"+m.theme.Glyph("▸", ">")) {
					t.Errorf("%s: the cursor is out of sight at %v:\n%s", j.name, size, plain(m))
				}
			}
		}
	}
}

// With ASCII nothing of wsi's own goes beyond ASCII.
func TestASCII(t *testing.T) {
	for _, j := range journeys {
		m := play(t, Config{ASCII: true, Problem: j.problem}, 80, 24, j.keys)
		for _, r := range plain(m) {
			if r > 126 {
				t.Errorf("%s: %q in\n%s", j.name, r, plain(m))
				break
			}
		}
	}
}

// An id is on a screen only while the user shows values, and no name reaches a terminal as a control sequence.
func TestValuesAreHidden(t *testing.T) {
	for _, j := range journeys {
		m := play(t, Config{Problem: j.problem}, 200, 60, j.keys)
		shown := strings.Contains(plain(m), basket) || strings.Contains(plain(m), order) || strings.Contains(plain(m), "run_a1b2")
		if shown != m.Values {
			t.Errorf("%s: values %t, shown %t:\n%s", j.name, m.Values, shown, plain(m))
		}
		if content := m.View().Content; strings.ContainsAny(content, "\u202e\t\r") || strings.Contains(content, "\x1bc") || strings.Contains(content, "\x1b[2J") || strings.Contains(content, "\nFORGED") {
			t.Errorf("%s: %q", j.name, content)
		}
	}
}
