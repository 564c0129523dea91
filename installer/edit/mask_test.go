package edit

import (
	"strings"
	"testing"

	"wsi/harnesses"
)

func TestMask(t *testing.T) {
	for _, c := range []struct {
		format                      harnesses.Format
		before, after, shown, shows string
	}{
		{
			harnesses.JSON, `{"headers": {"A": "s", "B": "t", "N": 1}, "url": "s"}`, `{"env": {"X_B": "t", "X_A": "s", "C": "new"}, "args": ["s"]}`,
			`{"headers": {"A": "***", "B": "***2", "N": 1}, "url": "s"}`, `{"env": {"X_B": "***2", "X_A": "***", "C": "new"}, "args": ["s"]}`,
		},
		{
			harnesses.JSONC, "\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"ü\\\"\",},}], \"bearer_token\": \"s\", \"environment\": {}}", "",
			"\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"***\",},}], \"bearer_token\": \"***2\", \"environment\": {}}", "",
		},
		{
			harnesses.TOML, "[s.env]\nA = 's' # s\nB = \"\"\"s\ns\"\"\"\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = 's', \"B.C\" = \"t\" }\nh.http_headers.A = \"x\"\n", "[s]\nenv = {A = 's'}\n",
			"[s.env]\nA = '***' # s\nB = ***2.1\n***2.2\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = '***', \"B.C\" = \"***3\" }\nh.http_headers.A = \"***4\"\n", "[s]\nenv = {A = '***'}\n",
		},
		{harnesses.JSON, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`},
		{harnesses.JSON, `{"hooks": {"A": "s"}}`, `{}`, `{"hooks": {"A": "s"}}`, `{}`},
	} {
		shown, shows := Mask(c.format, []byte(c.before), []byte(c.after))
		if string(shown) != c.shown || string(shows) != c.shows {
			t.Errorf("%s\n%s\n%s\nwant\n%s\n%s", c.before, shown, shows, c.shown, c.shows)
		}
	}
	if before, after := Mask(harnesses.JSON, nil, []byte{}); before != nil || after == nil {
		t.Errorf("a file that is not there: %v %v", before, after)
	}
}

// Secrets in the words of a command line and in texts are marked with «».
func TestSecretsInTexts(t *testing.T) {
	for _, marked := range []string{
		`node server.js --port 80 --token-file /x --max-tokens 100 --verbose`,
		`node server.js --token «abc» --port 80`,
		`node server.js --api-key=«a.b+c/d=» x`,
		`API_KEY=«abc» OTHER=x node server.js`,
		`--password '«with blanks»' --port 80`,
		`--accessToken "«abc»"`,
		`curl -H "Authorization: «Bearer abc»" -H 'X-Api-Key: «abc»' -H "Accept: text/html" x`,
		`Bearer «aB3dEf7hIj» and bearer authentication`,
		`https://«user:pass»@host/path?q=1&api_key=«abc»&x=2#f`,
		`postgres://«user:p@ss»@host/db`,
		`git+ssh://git@github.com/a/b`,
		`sh -c 'TOKEN=«abc»; run' && SECRET=«x»`,
		`--token $TOKEN --key ${KEY} API_KEY=$KEY Authorization: ${AUTH}`,
		`«ghp_0123456789abcdefghijABCDEFGHIJ012345» «sk-ant-0123456789abcdef» «AKIAABCDEFGHIJKLMNOP»`,
		`«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl»`,
		`/usr/local/bin/wsi inject --harness codex --server my-token-server`,
		`wsi relay --server key --harness codex --state /s --url http://localhost:1/mcp --header-env Authorization=WSI_HEADER_AUTHORIZATION`,
		`https://host:8080/a@b`,
		`curl -d x "https://hooks.slack.com/services/T01234567/B01234567/«a1B2c3D4e5F6g7H8i9J0k1L2»" && echo a1B2c3D4e5F6g7H8i9J0k1L2`,
		`https://discord.com/api/webhooks/123456789012345678/«aB1-cD2_eF3gH4iJ5kL6mN7oP8»?wait=true`,
		`https://raw.githubusercontent.com/someone/some-repository-of-theirs/main/install-the-hooks.sh`,
		`curl -su «me:hunter2» https://host; curl --user "«me:x»" y && curl -X POST --proxy-user=«a:b» z; docker run --user 1000:1000 x`,
		`curl --user-agent x:y http://localhost:1/a`,
		``,
	} {
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		var b strings.Builder
		at := 0
		for _, s := range secretsIn(text) {
			b.WriteString(text[at:s.start] + "«" + text[s.start:s.end] + "»")
			at = s.end
		}
		if got := b.String() + text[at:]; got != marked {
			t.Errorf("got  %s\nwant %s", got, marked)
		}
	}
}

// Secrets can be near wsi's lines: in command lines of servers, in other hooks, under their names, in comments.
func TestMaskOtherEntries(t *testing.T) {
	for _, c := range []struct {
		format                      harnesses.Format
		before, after, shown, shows string
	}{
		{
			harnesses.TOML,
			"[mcp_servers.a]\nurl = \"https://u:p@h/x?token=T\"\nexperimental_bearer_token = 'B'\nbearer_token_env_var = \"V\"\nargs = [\"--key\", 'X', \"--token=T\", \"--header\", \"Authorization: Bearer H\", \"-e\", \"A=E\"]\n# api_key = \"C\"\n",
			"args = [\"relay\", \"--\", \"npx\", \"--key\", \"X\", \"--key\", \"new\"]\n",
			"[mcp_servers.a]\nurl = \"https://***@h/x?token=***2\"\nexperimental_bearer_token = '***3'\nbearer_token_env_var = \"V\"\nargs = [\"--key\", '***4', \"--token=***2\", \"--header\", \"Authorization: ***5\", \"-e\", \"A=***6\"]\n# api_key = \"***7\"\n",
			"args = [\"relay\", \"--\", \"npx\", \"--key\", \"***4\", \"--key\", \"new\"]\n",
		},
		{
			harnesses.TOML,
			"args = [\"--url\", \"https://h/\", \"--header-env\", \"Authorization=Bearer GITHUB_TOKEN\", \"--header-env\", \"Authorization=Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345\"]\n", "",
			"args = [\"--url\", \"https://h/\", \"--header-env\", \"Authorization=Bearer GITHUB_TOKEN\", \"--header-env\", \"Authorization=***\"]\n", "",
		},
		{
			harnesses.JSON,
			`{"hooks": [{"command": "curl -H \"X-Api-Key: a\u0062c\" https:\/\/h\/?key=k"}], "apiKey": "s", "n": {"key": "ctrl+x"}, "env_key": "NAME", "command": ["x", "--password", "p q"]}`, ``,
			`{"hooks": [{"command": "curl -H \"X-Api-Key: ***\" https:\/\/h\/?key=***2"}], "apiKey": "***3", "n": {"key": "ctrl+x"}, "env_key": "NAME", "command": ["x", "--password", "***4"]}`, ``,
		},
		{
			harnesses.JSONC,
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
		format := harnesses.JSONC
		if toml {
			format = harnesses.TOML
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
