package edit

import (
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

func TestMask(t *testing.T) {
	for _, c := range []struct {
		format                      setup.Format
		before, after, shown, shows string
	}{
		{
			setup.JSON, `{"headers": {"A": "s", "B": "t", "N": 1}, "url": "s"}`, `{"env": {"X_B": "t", "X_A": "s", "C": "new"}, "args": ["s"]}`,
			`{"headers": {"A": "***", "B": "***2", "N": 1}, "url": "s"}`, `{"env": {"X_B": "***2", "X_A": "***", "C": "new"}, "args": ["s"]}`,
		},
		{
			setup.JSONC, "\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"ü\\\"\",},}], \"bearer_token\": \"s\", \"environment\": {}}", "",
			"\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"***\",},}], \"bearer_token\": \"***2\", \"environment\": {}}", "",
		},
		{
			setup.TOML, "[s.env]\nA = 's' # s\nB = \"\"\"s\ns\"\"\"\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = 's', \"B.C\" = \"t\" }\nh.http_headers.A = \"x\"\n", "[s]\nenv = {A = 's'}\n",
			"[s.env]\nA = '***' # s\nB = ***2.1\n***2.2\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = '***', \"B.C\" = \"***3\" }\nh.http_headers.A = \"***4\"\n", "[s]\nenv = {A = '***'}\n",
		},
		{setup.JSON, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`},
		{setup.JSON, `{"hooks": {"A": "s"}}`, `{}`, `{"hooks": {"A": "s"}}`, `{}`},
	} {
		shown, shows := Mask(c.format, []byte(c.before), []byte(c.after))
		if string(shown) != c.shown || string(shows) != c.shows {
			t.Errorf("%s\n%s\n%s\nwant\n%s\n%s", c.before, shown, shows, c.shown, c.shows)
		}
	}
	if before, after := Mask(setup.JSON, nil, []byte{}); before != nil || after == nil {
		t.Errorf("a file that is not there: %v %v", before, after)
	}
}

// Secrets can be near wsi's lines: in command lines of servers, in other hooks, under their names, in comments.
func TestMaskOtherEntries(t *testing.T) {
	for _, c := range []struct {
		format                      setup.Format
		before, after, shown, shows string
	}{
		{
			setup.TOML,
			"[mcp_servers.a]\nurl = \"https://u:p@h/x?token=T\"\nexperimental_bearer_token = 'B'\nbearer_token_env_var = \"V\"\nargs = [\"--key\", 'X', \"--token=T\", \"--header\", \"Authorization: Bearer H\", \"-e\", \"A=E\"]\n# api_key = \"C\"\n",
			"args = [\"relay\", \"--\", \"npx\", \"--key\", \"X\", \"--key\", \"new\"]\n",
			"[mcp_servers.a]\nurl = \"https://***@h/x?token=***2\"\nexperimental_bearer_token = '***3'\nbearer_token_env_var = \"V\"\nargs = [\"--key\", '***4', \"--token=***2\", \"--header\", \"Authorization: ***5\", \"-e\", \"A=***6\"]\n# api_key = \"***7\"\n",
			"args = [\"relay\", \"--\", \"npx\", \"--key\", \"***4\", \"--key\", \"new\"]\n",
		},
		{
			setup.TOML,
			"args = [\"--url\", \"https://h/\", \"--header-env\", \"Authorization=Bearer GITHUB_TOKEN\", \"--header-env\", \"Authorization=Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345\"]\n", "",
			"args = [\"--url\", \"https://h/\", \"--header-env\", \"Authorization=Bearer GITHUB_TOKEN\", \"--header-env\", \"Authorization=***\"]\n", "",
		},
		{
			setup.JSON,
			`{"hooks": [{"command": "curl -H \"X-Api-Key: a\u0062c\" https:\/\/h\/?key=k"}], "apiKey": "s", "n": {"key": "ctrl+x"}, "env_key": "NAME", "command": ["x", "--password", "p q"]}`, ``,
			`{"hooks": [{"command": "***"}], "apiKey": "***2", "n": {"key": "ctrl+x"}, "env_key": "NAME", "command": ["x", "--password", "***3"]}`, ``,
		},
		{
			setup.JSONC,
			"{// \"GITHUB_TOKEN\": \"t\",\n\"a\": 1, /* --token x */}", "",
			"{// \"GITHUB_TOKEN\": \"***\",\n\"a\": 1, /* --token ***2 */}", "",
		},
	} {
		shown, shows := Mask(c.format, []byte(c.before), []byte(c.after))
		if string(shown) != c.shown || string(shows) != c.shows {
			t.Errorf("%s\n%s\n%s\nwant\n%s\n%s", c.before, shown, shows, c.shown, c.shows)
		}
	}
}

// FuzzMask checks that the masked text has as many lines as the file, and that the same lines differ.
func FuzzMask(f *testing.F) {
	f.Add(`{"env":{"a":"b","c":"b"},"headers":{"x":"\n"}}`, `{"env":{"a":"c"}}`, false)
	f.Add(`{"args":["--key","x","--token=y","https://a:b@c?key=d"],"a":"k=v"}`, `{"args":["--key","x"]}`, false)
	f.Add("a='''x\ny'''\n# token=z", "args=['--key','''x\ny''']", true)
	f.Add("env.a='b'\n[x.headers]\na=\"\"\"\nb\"\"\"", "env.a='c'", true)
	f.Fuzz(func(t *testing.T, before, after string, toml bool) {
		if strings.Contains(before+after, "***") {
			return
		}
		format := setup.JSONC
		if toml {
			format = setup.TOML
		}
		maskedBefore, maskedAfter := Mask(format, []byte(before), []byte(after))
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		shown, shows := strings.Split(string(maskedBefore), "\n"), strings.Split(string(maskedAfter), "\n")
		if len(was) != len(shown) || len(is) != len(shows) {
			t.Fatalf("%q %q", maskedBefore, maskedAfter)
		}
		for i := range was {
			for k := range is {
				if was[i] != is[k] && shown[i] == shows[k] {
					t.Errorf("%q and %q are shown as %q", was[i], is[k], shown[i])
				}
			}
		}
	})
}

// Of variables and headers every value is masked, whatever it looks like; of other members the name decides.
func TestMaskTables(t *testing.T) {
	for _, table := range []string{"env", "environment", "env_vars", "headers", "http_headers"} {
		for format, file := range map[setup.Format]string{
			setup.JSON:  `{"mcpServers": {"w": {"command": "x", "` + table + `": {"PORT": "80-80"}, "bearer_token": "plain", "note": "seen"}}}`,
			setup.JSONC: `{"mcp": {"w": {"` + table + `": {"PORT": "80-80"}, "experimental_bearer_token": "plain", "note": "seen"}}} // end`,
			setup.TOML:  "[mcp_servers.w]\nbearer_token = \"plain\"\nbearer_token_env_var = \"seen\"\n[mcp_servers.w." + table + "]\nPORT = '80-80'\n",
		} {
			if got, _ := Mask(format, []byte(file), nil); strings.Contains(string(got), "80-80") || strings.Contains(string(got), "plain") || !strings.Contains(string(got), "seen") {
				t.Errorf("%s, %s: %s", table, format, got)
			}
		}
	}
}

func TestMaskEntry(t *testing.T) {
	for _, entry := range []string{
		`{"type": "http", "url": "https://h.example", "headers": {"X-Team": "alpha7"}}`,
		`{ type = "command", command = "a", env = { TEAM = "alpha7" } }`,
		"[[hooks.PreToolUse.hooks]]\ncommand = \"a\"\n[hooks.PreToolUse.hooks.headers]\nX-Team = \"alpha7\"",
		`{"command": "API_KEY=alpha7 curl x"}`,
	} {
		masked := MaskEntry(entry)
		if strings.Contains(masked, "alpha7") || !strings.Contains(masked, "***") || len(masked) < len(entry)/2 {
			t.Errorf("%s: %s", entry, masked)
		}
	}
	if entry := `{"type": "command", "command": "rtk hook claude", "timeout": 5}`; MaskEntry(entry) != entry {
		t.Error(MaskEntry(entry))
	}
}
