package secret

import (
	"strings"
	"testing"
)

func shown(text string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "«" + text[s.Start:s.End] + "»")
		at = s.End
	}
	return b.String() + text[at:]
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"PGPASSWORD": true, "MYSQL_PWD": true, "SSHPASS": true, "REDISCLI_AUTH": true, "authtoken": true, "X-Api-Key": true,
		"AWS_SECRET_ACCESS_KEY": true, "AWS_ACCESS_KEY_ID": false, "API_KEY_2": true, "TOKEN1": true, "apiKeys": true,
		"access_tokens": true, "accessKeyProd": true, "cookies": true, "DB_PW": true, "GOOGLE_CREDENTIALS": true,
		"max-tokens": false, "total_tokens": false, "token-file": false, "SSH_AUTH_SOCK": false, "GIT_AUTHOR_NAME": false,
		"KEYBOARD": false, "bypass": false, "monkey": false, "tokenizer": false, "": false, "-": false, "2": false,
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if Name(name) && !mentionsName(name) {
			t.Errorf("%q is not seen in a text", name)
		}
	}
}

// The secrets in texts are marked with «».
func TestIn(t *testing.T) {
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
		`/home/u/https:/«u:hunter2»@host/x; https:/host/a@b; C:/Users/a@b; http://[::1]:8080/a@b`,
		`npx mcp-remote https://«u:p/w»@host/x?a=1 && curl "https://«u:a?1#b»@host/x"`,
		`curl -d x "https://hooks.slack.com/services/T01234567/B01234567/«a1B2c3D4e5F6g7H8i9J0k1L2»" && echo a1B2c3D4e5F6g7H8i9J0k1L2`,
		`https://discord.com/api/webhooks/123456789012345678/«aB1-cD2_eF3gH4iJ5kL6mN7oP8»?wait=true`,
		`PGPASSWORD=«abc» psql -h db`,
		`https://raw.githubusercontent.com/someone/some-repository-of-theirs/main/install-the-hooks.sh`,
		`curl --user-agent x:y http://localhost:1/a`,
		`node server.js --authtoken «abc» --bypass x; SSHPASS=«abc» MYSQL_PWD=«abc» API_KEY_PROD=«abc» AUTH_TOKENS=«a»`,
		`curl -b x -H "Cookie: «sid=abc; theme=dark»" -H 'Set-Cookie: «a=b»' u`,
		`{"cookie": "«sid=abc»"}`,
		``,
	} {
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		if got := shown(text, In(text)); got != marked {
			t.Errorf("got  %s\nwant %s", got, marked)
		}
	}
}

// In a list of words, the secrets are marked in each.
func TestInWords(t *testing.T) {
	for _, marked := range []string{
		"x|--key|«X»|--token=«T»|--header|Authorization: «Bearer H»|-e|A=«E»|--port|1",
		"curl|-u|ann:«x»|--user=ann:«x»|--proxy-user|$PROXY||«»",
		"relay|--header-env|Authorization=Bearer GITHUB_TOKEN|--header-env|Authorization=«ghp_0123456789abcdefghijABCDEFGHIJ012345»",
	} {
		words := strings.Split(strings.NewReplacer("«", "", "»", "").Replace(marked), "|")
		var got []string
		for i, spans := range InWords(words) {
			got = append(got, shown(words[i], spans))
		}
		if want := strings.ReplaceAll(marked, "«»", ""); strings.Join(got, "|") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
		}
	}
}

// The output of a program is hidden more widely than its command line.
func TestInOutput(t *testing.T) {
	for _, marked := range []string{
		"sent Bearer «abc», token $HOME",
		"API_KEY=«0123456789012345678901234567890» is bad",
		"module a-long-name-without-digits, «a-long-name-with-1-digit»",
		"token: «$X»",
	} {
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		if got := shown(text, InOutput(text)); got != marked {
			t.Errorf("got  %s\nwant %s", got, marked)
		}
	}
}

// FuzzIn checks that places are in order, in the text, and not empty, in texts and in words.
func FuzzIn(f *testing.F) {
	f.Add("mysql --key 'x' https://u:p@h/?token=y")
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, " ")
		check := func(text string, spans []Span) {
			at := 0
			for _, s := range spans {
				if s.Start < at || s.End <= s.Start || s.End > len(text) {
					t.Fatalf("%q: %v", text, spans)
				}
				at = s.End
			}
		}
		check(text, In(text))
		check(text, InOutput(text))
		for i, spans := range InWords(words) {
			check(words[i], spans)
		}
	})
}
