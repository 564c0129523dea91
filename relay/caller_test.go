package relay

import (
	"fmt"
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

// A mark is believed if a hook has noted it; else it is the model's own. The server sees none.
func TestMarks(t *testing.T) {
	notes := callers.In(t.TempDir())
	noted := callers.Owner{Session: "ses_1", Agent: "ses_2"}
	if err := notes.Write("opencode", "ses_1/ses_2:c/2", noted); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string][3]string{
		`{"a":1,"_wsi":"ses_1/ses_2:c/2"}`: {"ses_1", "ses_2", `{"a":1}`},
		`{"query":"ses_1/ses_2:c/2"}`:      {"", "", `{"query":"ses_1/ses_2:c/2"}`}, // a user's own words
		`{"_wsi":"ses_1/ses_2:c/3","a":1}`: {"", "", `{"a":1}`},                     // not noted
		`{"a":{"_wsi":"ses_1/ses_2:c/2"}}`: {"", "", `{"a":{"_wsi":"ses_1/ses_2:c/2"}}`},
		`{"_wsi":7}`:                       {"", "", `{}`},
		`[]`:                               {"", "", `[]`},
	} {
		i := newIdentity(Options{Harness: "opencode"}, notes, func(string) string { return "" }, "1")
		who, rest, err := i.of(nil, []byte(in))
		if who == i.connection {
			who = caller{}
		}
		if got := [3]string{who.session, who.agent, string(rest)}; got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}

// Without a hook, a mark that names the session of another conversation is the model's own.
func TestMarkOfTheModel(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "opencode"
	c := w.connect()
	for n, tool := range []string{"start_session", "get_activity"} {
		c.do(tool, fmt.Sprintf(`"_wsi":%q`, w.noted("opencode", fmt.Sprintf("ses_A:call_%d", n), "")), ``)
	}
	c.close()
	c = w.connect()
	c.do("get_activity", `"_wsi":"ses_A:call_3"`, ``)
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
	c.do("health_check", `"a":1, "_wsi":"ses_x:call_1"`, ``)
	if got := w.arrived(); !strings.Contains(got, `"arguments":{"a":1}`) {
		t.Error(got)
	}
}
