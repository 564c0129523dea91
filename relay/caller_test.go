package relay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/hook/callers"
)

// The names are those by which setup starts the relay.
func TestSessionsOfTheEnvironment(t *testing.T) {
	for id, variable := range map[string]string{"qwen-code": "QWEN_CODE_SESSION_ID", "copilot-cli": "COPILOT_AGENT_SESSION_ID"} {
		getenv := func(name string) string { return map[string]string{variable: "s1"}[name] }
		if got, _, err := newIdentity(Options{Harness: id}, callers.Notes{}, getenv, "1").of(nil, nil); err != nil || got.session != "s1" {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

func TestUnmark(t *testing.T) {
	for in, want := range map[string][3]string{
		`{"_wsi":"wsi:ses_1:call_1","a":1}`:           {"ses_1", "", `{"a":1}`},
		`{"a":1,"_wsi":"wsi:ses_1/ses_2:c/2"}`:        {"ses_1", "ses_2", `{"a":1}`},
		`{"query":"wsi:relay:docs","_wsi":"wsi:s:c"}`: {"s", "", `{"query":"wsi:relay:docs"}`}, // a user's own words
		`{"query":"wsi:relay:docs"}`:                  {"", "", `{"query":"wsi:relay:docs"}`},
		`{"_wsi":"wsi:b8bd-3k3v"}`:                    {"", "", `{"_wsi":"wsi:b8bd-3k3v"}`}, // an alias
		`{"_wsi":"wsi: is said: so"}`:                 {"", "", `{"_wsi":"wsi: is said: so"}`},
		`{"_wsi":"wsi::c"}`:                           {"", "", `{"_wsi":"wsi::c"}`},
		`{"a":{"_wsi":"wsi:s:c"}}`:                    {"", "", `{"a":{"_wsi":"wsi:s:c"}}`},
		`{"_wsi":7}`:                                  {"", "", `{"_wsi":7}`},
		`[]`:                                          {"", "", `[]`},
	} {
		i := newIdentity(Options{Harness: "opencode", Join: true}, callers.Notes{}, func(string) string { return "" }, "1")
		who, rest, err := i.of(nil, []byte(in))
		if who == i.connection {
			who = caller{}
		}
		if got := [3]string{who.session, who.agent, string(rest)}; got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}

// Without a join no hook marks calls: a mark is the model's own, and names the session of another conversation.
func TestMarkWithoutAJoin(t *testing.T) {
	i := newIdentity(Options{Harness: "opencode"}, callers.Notes{}, func(string) string { return "" }, "1")
	for in, want := range map[string]string{
		`{"_wsi":"wsi:ses_1:call_1","a":1}`:    `{"a":1}`,
		`{"a":1,"_wsi":"wsi:ses_1/ses_2:c/2"}`: `{"a":1}`,
		`{"_wsi":"wsi:b8bd-3k3v"}`:             `{"_wsi":"wsi:b8bd-3k3v"}`,
		`{"a":1}`:                              `{"a":1}`,
	} {
		if who, rest, err := i.of(nil, []byte(in)); err != nil || who != i.connection || string(rest) != want {
			t.Errorf("%s: %+v, %s, %v", in, who, rest, err)
		}
	}
	w := newWorld(t)
	w.opt.Harness, w.opt.Join = "opencode", true
	c := w.connect()
	c.do("start_session", `"_wsi":"wsi:ses_A:call_1"`, ``)
	c.do("get_activity", `"_wsi":"wsi:ses_A:call_2"`, ``)
	c.close()
	w.opt.Join = false
	c = w.connect()
	c.do("get_activity", `"_wsi":"wsi:ses_A:call_3"`, ``)
	if got := w.arrived(); !strings.Contains(got, `"arguments":{}`) {
		t.Errorf("the server got %s", got)
	}
	if got, want := w.verdicts(), []string{"start_session not needed 1", "get_activity right 1", "get_activity missing 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of a tool that is left alone the server sees the model's arguments, without the mark.
func TestMarkOfAToolThatIsLeft(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness, w.opt.Rules = "opencode", filepath.Join(w.dir, "rules.toml")
	if err := os.WriteFile(w.opt.Rules, []byte("[[leave]]\ntools = [\"mcp__workflow-server__health_check\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.connect()
	c.do("health_check", `"a":1, "_wsi":"wsi:ses_x:call_1"`, ``)
	if got := w.arrived(); !strings.Contains(got, `"arguments":{"a":1}`) {
		t.Error(got)
	}
}
