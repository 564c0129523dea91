package setup

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"wsi/internal/endpoint"
)

func TestRelayCommandSurvivesParsing(t *testing.T) {
	own := []string{"npx", "-y", "--", "--url", "x"}
	for _, f := range []RelayCommand{
		{Path: "/usr/local/bin/wsi", Server: "workflow-server", Harness: "codex", State: "/home/a b/.local/state/wsi"},
		{Path: `C:\Program Files\wsi.exe`, Server: "--", Harness: "claude-code", State: `C:\x`},
		{Path: "wsi", Server: "a", Harness: "zed", State: "/s", URL: "http://example.com/mcp", Headers: []endpoint.HeaderVar{{Name: "Authorization", Variable: "WSI_HEADER_AUTHORIZATION"}, {Name: "X-Y", Variable: "Z"}, {Name: "Authorization", Scheme: "Bearer", Variable: "TOKEN"}}},
		{Path: "wsi", Server: "a", Harness: "zed", State: "/s", Rules: "/r/rules.toml", Schema: "hidden"},
		{Path: "wsi", Server: "a", Harness: "codex", State: "/s", Life: []string{"--reload-on-change", "/a b"}},
	} {
		words, behind := f.Words(), 0
		if f.URL == "" {
			words, behind = append(words, own...), len(own)
		}
		got, at, ok := ParseRelayCommand(words)
		if !ok || !reflect.DeepEqual(got, f) || !slices.Equal(words[at:], own[:behind]) {
			t.Errorf("%q\n got %+v %d %v\nwant %+v", words, got, at, ok, f)
		}
	}
}

// A command that a user wrote in another form than Words is recognized as well.
func TestRelayCommandByHand(t *testing.T) {
	for _, c := range []struct {
		line string
		want RelayCommand
		own  string
	}{
		{"wsi relay --server=x -- y z", RelayCommand{Server: "x"}, "y z"},
		{"wsi relay --server x --join -- y", RelayCommand{Server: "x"}, "y"}, // of an older wsi
		{"wsi relay --schema hidden --server x --rules=/r --schema=as-is -- y -- z", RelayCommand{Server: "x", Rules: "/r", Schema: "as-is"}, "y -- z"},
		{"wsi relay --harness= --state=/a=b --server x -- --server", RelayCommand{Server: "x", State: "/a=b"}, "--server"},
		{"wsi relay --url=http://h --server=x --header-env=A=B --header-env C=D --", RelayCommand{Server: "x", URL: "http://h", Headers: []endpoint.HeaderVar{{Name: "A", Variable: "B"}, {Name: "C", Variable: "D"}}}, ""},
		{"wsi relay --server=x --reload-on-change=/f --no-restart -- y", RelayCommand{Server: "x", Life: []string{"--reload-on-change", "/f", "--no-restart"}}, "y"},
		{"wsi relay --server -- -- y", RelayCommand{Server: "--"}, "y"},
	} {
		words := strings.Fields(c.line)
		c.want.Path = "wsi"
		got, own, ok := ParseRelayCommand(words)
		if !ok || !reflect.DeepEqual(got, c.want) || strings.Join(words[own:], " ") != c.own {
			t.Errorf("%s\n got %+v %d %v\nwant %+v", c.line, got, own, ok, c.want)
		}
	}
}

// Setup replaces what it wrote itself, and keeps what a user added.
func TestKeeping(t *testing.T) {
	for _, c := range []struct{ wanted, stands, want string }{
		{"", "", ""},
		{"/xdg/wsi/rules.toml", "", "/xdg/wsi/rules.toml"},
		{"/xdg/wsi/rules.toml", "/old/wsi/rules.toml", "/xdg/wsi/rules.toml"},
		{`C:\xdg\wsi\rules.toml`, `C:\old\wsi\rules.toml`, `C:\xdg\wsi\rules.toml`},
		{"/xdg/wsi/rules.toml", "/mine.toml", "/mine.toml"},
		{"", "/mine.toml", "/mine.toml"},
		{"", "/old/wsi/rules.toml", "/old/wsi/rules.toml"},
	} {
		if got := (RelayCommand{Path: "a", Rules: c.wanted}).Keeping(RelayCommand{Path: "b", Rules: c.stands, Schema: "hidden", Life: []string{"--no-restart"}}); got.Rules != c.want || got.Life == nil || got.Schema != "hidden" || got.Path != "a" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestForeignCommandsAreNotRelays(t *testing.T) {
	for _, words := range [][]string{
		nil,
		{"wsi"},
		{"wsi", "relay"},
		{"wsi", "relay", "--server", "x"},
		{"wsi", "relay", "--server", "x", "--"},
		{"wsi", "relay", "--harness", "x", "--", "y"},
		{"newsi", "relay", "--server", "x", "--", "y"},
		{"/wsi/npx", "relay", "--server", "x", "--", "y"},
		{"wsi", "reference-server", "--server", "x", "--", "y"},
		{"wsi", "relay", "--verbose", "x", "--server", "x", "--", "y"},
		{"wsi", "relay", "--server", "x", "--url"},
		{"wsi", "relay", "--server", "x", "--url", "u", "--", "y"},
		{"wsi", "relay", "--server=", "--", "y"},
		{"wsi", "relay", "--server=x", "--help"},
		{"wsi", "relay", "--server=x", "--schema"},
		{"wsi", "relay", "npx", "--", "y"},
	} {
		if f, own, ok := ParseRelayCommand(words); ok {
			t.Errorf("%q parsed as a relay: %+v %d", words, f, own)
		}
	}
}

// A harness writes the error for a wrong command line into its log, so the error has no value of it.
func TestRelayErrorsShowNoValues(t *testing.T) {
	for _, word := range []string{"https://u:hunter2@host/x", "--pass=hunter2", "hunter2"} {
		if _, _, err := ParseRelay([]string{"--server", "x", word, "--", "y"}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", word, err)
		}
	}
}
