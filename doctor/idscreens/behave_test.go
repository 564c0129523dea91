package idscreens

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// The keys lead from a screen to another and back.
func TestKeys(t *testing.T) {
	for keys, want := range map[string]string{
		"down,down,down":                        "3 of 3", // not beyond the last line
		"end,home,up":                           "1 of 3",
		"enter,esc":                             "3 sessions",
		"enter,enter":                           "hidden; v shows it",
		"enter,enter,esc":                       "codex · 3 ids",
		"enter,enter,esc,esc":                   "3 sessions",
		"c,esc":                                 "3 sessions",
		"enter,c,esc":                           "codex · 3 ids",
		"down,enter,pgdown":                     "20 of 60",
		"down,enter,pgdown,pgup":                "1 of 60",
		"down,enter,end,esc,end,up,up,enter":    "1 of 3", // another session begins at its first id
		"/,i,s,s,u,e,s,x,backspace,enter,enter": "1 of 60",
		"/,i,s,s,u,esc":                         "1 of 3",
		"/,i,s,s,u,enter,enter,esc":             "1 of 1  / issu", // the filter of the sessions is kept
		"/,i,s,s,u,enter,esc":                   "1 of 3",
		"/,z,enter,enter":                       "nothing matches",
		"/,z,enter,c":                           "nothing matches",
		"/,q,v,?":                               "/ qv?", // letters are typed, not pressed
		"enter,/,6,b,a,7,b,8,1,0,enter,v":       "1 of 1",
		"v,enter":                               "6ba7b810",
		"?,down,down,esc":                       "1 of 3",
		"?,?":                                   "1 of 3",
	} {
		if got := plain(play(t, Config{}, 80, 24, keys)); !strings.Contains(got, want) {
			t.Errorf("%s: no %q on\n%s", keys, want, got)
		}
	}
}

func TestQuit(t *testing.T) {
	quits := func(m model, msg tea.Msg) bool {
		_, cmd := m.Update(msg)
		if cmd == nil {
			return false
		}
		_, ok := cmd().(tea.QuitMsg)
		return ok
	}
	q, interrupt := tea.KeyPressMsg{Code: 'q', Text: "q"}, tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	for _, keys := range []string{"", "enter", "enter,enter", "c"} {
		if m := play(t, Config{}, 80, 24, keys); !quits(m, q) || !quits(m, interrupt) {
			t.Errorf("%q: it does not quit", keys)
		}
	}
	if m := play(t, Config{}, 80, 24, "/"); quits(m, q) || !quits(m, interrupt) {
		t.Error("q quits while the filter is typed")
	}
	if m := play(t, Config{}, 20, 5, ""); !quits(m, q) {
		t.Error("it cannot be left in a small window")
	}
}

// Whatever is pressed in whatever window, something is drawn.
func TestAnyKeys(t *testing.T) {
	all := strings.Split("up,down,pgup,pgdown,home,end,enter,enter,esc,backspace,/,v,c,?,b,x,5", ",")
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m := play(t, Config{}, 80, 24, "")
		var keys []string
		for range 40 {
			keys = append(keys, all[r.IntN(len(all))])
			m = press(send(m, tea.WindowSizeMsg{Width: r.IntN(120), Height: r.IntN(40)}), keys[len(keys)-1])
			if m.screen() == "" && m.height > 1 && m.width > 1 {
				t.Fatal(keys)
			}
		}
	}
}
