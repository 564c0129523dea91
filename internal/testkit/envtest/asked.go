package envtest

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses/setup"
)

// Asked is a [setup.Env.Asked] by which a harness accepts each file. An approval of a hook records a hash of its entry.
func Asked(_ setup.Env, _ setup.Harness, content []byte) (known bool, said setup.Answer) {
	said.Hashes = map[string]string{}
	for _, h := range entries(content, "", nil) {
		said.Hashes[h["place"].(string)] = h["currentHash"].(string)
	}
	return true, said
}

// Codex answers as the app-server of codex-cli 0.171.0 does, with the hashes of [Asked]. A test starts it as a program.
func Codex() {
	if len(os.Args) < 2 || os.Args[1] != "app-server" {
		fmt.Println("codex-cli 0.171.0")
		return
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch line := in.Text(); {
		case strings.Contains(line, `"initialize"`):
			fmt.Println(`{"id":1,"result":{}}`)
		case strings.Contains(line, `"hooks/list"`):
			var hooks []map[string]any
			config, _ := os.ReadFile(filepath.Join(os.Getenv("CODEX_HOME"), "config.toml"))
			approved, _ := setup.DecodeTOML(config)
			for _, name := range []string{"hooks.json", "config.toml"} {
				path := filepath.Join(os.Getenv("CODEX_HOME"), name)
				content, _ := os.ReadFile(path)
				hooks = append(hooks, entries(content, path, approved)...)
			}
			_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"id": 2, "result": map[string]any{"data": []any{map[string]any{"hooks": hooks}}}})
		}
	}
}

// entries returns the hooks in a file as Codex lists them. approved is a config.toml with what the user approved.
func entries(content []byte, path string, approved map[string]any) (all []map[string]any) {
	doc := map[string]any{}
	if json.Unmarshal(content, &doc) != nil {
		doc, _ = setup.DecodeTOML(content)
	}
	for event, groups := range setup.Table(doc, "hooks") {
		list, _ := groups.([]any)
		for g, group := range list {
			hooks, _ := setup.At(group, "hooks").([]any)
			for i, hook := range hooks {
				at, status := fmt.Sprintf("%d:%d", g, i), "untrusted"
				hash := fmt.Sprintf("sha256:%x", sha256.Sum256(fmt.Append(nil, event, setup.At(group, "matcher"), hook)))
				snake := strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(event, "${1}_${2}"))
				if setup.At(approved, "hooks", "state", path+":"+snake+":"+at, "trusted_hash") == hash {
					status = "trusted"
				}
				all = append(all, map[string]any{
					"place": event + ":" + at, "key": path + ":" + snake + ":" + at, "eventName": strings.ToLower(event[:1]) + event[1:], "sourcePath": path,
					"command": setup.At(hook, "command"), "enabled": true, "currentHash": hash, "trustStatus": status,
				})
			}
		}
	}
	return all
}
