package harnesses

import (
	"strings"
	"testing"
)

func TestRelayCommandsInYAML(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"mcpServers:\n  - name: workflow-server\n    command: npx\n    args:\n      - relay\n", ""},
		{"mcpServers:\n  - name: w\n    command: /opt/my wsi/wsi # here\n    args:\n      - relay\n      - --server\n      - \"w\"\n      - --state\n      - '/it''s'\n      - --\n      - npx\n      # not this\n      - -y\n    env:\n      A: b\n", "/opt/my wsi/wsi|relay|--server|w|--state|/it's|--|npx|-y"},
		{"mcpServers:\n- args: [relay, --server=w, \"--\", \"a, b]\"] # x\n  command: \"C:\\\\wsi.exe\"\n", `C:\wsi.exe|relay|--server=w|--|a, b]`},
		{"{\n \"mcpServers\": {\"w\": {\n  \"args\": [\n   \"relay\",\n   \"--server\",\n   \"w\",\n   \"--\",\n   \"npx\"\n  ],\n  \"command\": \"/b/wsi\"\n }}}\n", "/b/wsi|relay|--server|w|--|npx"},
		{"a:\n  command: wsi\n  args: [relay, --server, a, --, x]\nb:\n  command: wsi\n  args: [relay, --server, b, --url, http://h/]\n", "wsi|relay|--server|a|--|x\nwsi|relay|--server|b|--url|http://h/"},
		{"# command: wsi\n# args: [relay, --server, a, --, x]\n", ""},
		{"command: wsi\nargs: [relay, --server, a, --, \"x", "wsi|relay|--server|a|--|"},
		{"text: wsi relay --server a -- x\n", ""},
	} {
		var got []string
		for _, line := range RelayCommandsInYAML([]byte(c.text)) {
			got = append(got, strings.Join(line, "|"))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s\nfound %q\nwant  %q", c.text, got, c.want)
		}
	}
}

// FuzzRelayCommandsInYAML: any text is read to its end, and each line that is found is a command of wsi.
func FuzzRelayCommandsInYAML(f *testing.F) {
	f.Add("a:\n  command: wsi\n  args: [relay, --server, \"a\", --, 'x']\n")
	f.Add("- \"\\\n- '\n: #\n{[\n]}}:")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range RelayCommandsInYAML([]byte(text)) {
			if _, _, ok := ParseRelayCommand(line); !ok {
				t.Errorf("%q", line)
			}
		}
	})
}
