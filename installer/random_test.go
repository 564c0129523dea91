package installer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"

	"wsi/internal/testkit/configgen"
)

const (
	claudeFile = ".claude/settings.json"
	codexFile  = ".codex/hooks.json"
	configFile = ".codex/config.toml"
	cursorFile = ".cursor/hooks.json"
	pluginFile = ".config/opencode/plugin/wsi.js"
)

// randomHome returns a random home of all four harnesses. Content "" may be an empty file.
func randomHome(r *rand.Rand) map[string]string {
	all := map[string]string{
		claudeFile: configgen.JSON(r, configgen.Rules{Typed: true, Events: []string{"PreToolUse", "Stop", "PostToolUse", "NoSuchEvent"}}),
		codexFile:  configgen.JSON(r, configgen.Rules{Typed: true, Lone: true, Events: []string{"PreToolUse", "Stop", "PostToolUse"}}),
		configFile: configgen.TOML(r, "PreToolUse", "PostToolUse", "Stop"),
		cursorFile: configgen.JSON(r, configgen.Rules{Flat: true, Bare: true, Typed: true, Comments: true, Preset: `"version": 1`, Events: []string{"preToolUse", "stop", "afterMCPExecution"}}),

		".claude.json":                    configgen.JSON(r, configgen.Rules{Typed: true, Events: []string{"PreToolUse"}}),
		".config/opencode/opencode.jsonc": configgen.JSON(r, configgen.Rules{Comments: true, Events: []string{"x"}}),
	}
	for _, path := range []string{claudeFile, codexFile, configFile, cursorFile} {
		switch r.IntN(6) {
		case 0:
			delete(all, path)
		case 1:
			if path != codexFile { // Codex drops an empty one
				all[path] = []string{"", "\n", " \r\n"}[r.IntN(3)]
			}
		}
	}
	if r.IntN(3) == 0 { // Codex's hooks go into config.toml then, if it has some
		delete(all, codexFile)
	}
	if r.IntN(2) == 0 {
		all[".config/opencode/plugins/another.js"] = "export const a = 1\n"
	}
	return all
}

// rounds returns how many random homes a test has: of n a third, where it must not take long.
func rounds(n int) int {
	if testing.Short() {
		return n / 3
	}
	return n
}

// In any home, three setups give the same bytes as one; all old content remains in its order, and only wsi's
// entries are added; remove restores every byte, every mode and every folder. Rows 1, 3, 4, 6, 7, 8 and 23.
func TestAnyHome(t *testing.T) {
	t.Parallel()
	written := map[string]int{}
	configgen.Each(t, rounds(150), func(t *testing.T, r *rand.Rand) {
		t.Helper()
		o, m := inMemory(randomHome(r))
		o.Trust = r.IntN(2) == 0
		before, first := m.tree(filepath.Dir(o.StateDir)), m.clone()
		p := mustPlan(t, PlanSetup, o)
		if err := Apply(t.Context(), m, p, nil); err != nil {
			t.Fatal(err)
		}
		once := m.tree()
		for range 2 {
			mustApply(t, PlanSetup, o)
		}
		sameTree(t, "set up three times", m.tree(), once)
		for _, c := range p.Changes {
			rel, err := filepath.Rel(home(), c.Path)
			if err != nil {
				t.Fatal(err)
			}
			written[filepath.ToSlash(rel)]++
			onlyOurs(t, first, m, c)
		}
		mustApply(t, PlanRemove, o)
		sameTree(t, "removed", m.tree(filepath.Dir(o.StateDir)), before)
	})
	t.Logf("files written: %v", written)
	if len(written) < 6 {
		t.Errorf("only %v", written)
	}
}

// onlyOurs checks that every line of the old file is in the new one, in the old order, and that everything
// added is wsi's.
func onlyOurs(t *testing.T, was, is memory, c Change) {
	t.Helper()
	if c.Before == nil {
		return
	}
	rest := string(c.After)
	for line := range strings.Lines(string(c.Before)) {
		line = strings.TrimRight(line, "\r\n")
		if at := strings.Index(rest, line); at >= 0 {
			rest = rest[at+len(line):]
			continue
		}
		// The line before an addition may have a new comma; a file of one line grows inside.
		if !grown(line, c.After) {
			t.Errorf("%s: the line %q is gone:\n%s", c.Path, line, c.After)
		}
	}
	if why := beyond(meaningOf(t, c.Path, was), meaningOf(t, c.Path, is), filepath.Base(c.Path)); why != "" {
		t.Errorf("%s: %s\nbefore\n%s\nafter\n%s", c.Path, why, c.Before, c.After)
	}
}

// grown reports whether a line contains all of an old line, with something inserted.
func grown(line string, in []byte) bool {
	at := 0
	for _, b := range []byte(line) {
		n := bytes.IndexByte(in[at:], b)
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return true
}

// beyond describes what now has and was does not, except wsi's entries; "" if nothing.
func beyond(was, now any, place string) string {
	switch now := now.(type) {
	case map[string]any:
		old, ok := was.(map[string]any)
		if !ok {
			break
		}
		for key := range old {
			if _, ok := now[key]; !ok {
				return place + "." + key + " is gone"
			}
		}
		for key, v := range now {
			if o, ok := old[key]; ok {
				if why := beyond(o, v, place+"."+key); why != "" {
					return why
				}
			} else if !oursAlone(key, v) {
				return fmt.Sprintf("%s.%s is new: %v", place, key, v)
			}
		}
		return ""
	case []any:
		old, ok := was.([]any)
		if !ok || len(now) < len(old) {
			break
		}
		for i, v := range now {
			if i >= len(old) {
				if !oursAlone("", v) {
					return fmt.Sprintf("%s[%d] is new: %v", place, i, v)
				}
			} else if why := beyond(old[i], v, fmt.Sprintf("%s[%d]", place, i)); why != "" {
				return why
			}
		}
		return ""
	}
	if fmt.Sprint(was) != fmt.Sprint(now) {
		return fmt.Sprintf("%s was %v and is %v", place, was, now)
	}
	return ""
}

// oursAlone reports whether a new member or element holds only hooks or trust records of wsi.
func oursAlone(key string, v any) bool {
	text := fmt.Sprint(v)
	switch {
	case key == "version":
		return text == "1"
	case strings.Contains(text, "guard"), strings.Contains(text, "sha256:1]"): // others'
		return false
	}
	return strings.Contains(filepath.ToSlash(text), ".local/bin/wsi") || strings.Contains(key+text, "_tool_use:")
}

// meaningOf decodes a file; a missing or empty file has no members.
func meaningOf(t *testing.T, path string, in memory) map[string]any {
	t.Helper()
	var v map[string]any
	f, ok := in[path]
	if !ok || filepath.Ext(path) == ".js" {
		return map[string]any{}
	}
	content := bytes.TrimPrefix(f.Data, []byte(configgen.BOM))
	if len(bytes.TrimSpace(content)) == 0 {
		return map[string]any{}
	}
	if filepath.Ext(path) == ".toml" {
		if err := toml.Unmarshal(content, &v); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, content)
		}
		return v
	}
	d := json.NewDecoder(bytes.NewReader(jsonc.ToJSON(content)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, content)
	}
	return v
}

// With lost or damaged backups, remove still keeps everything that is not wsi's.
func TestLostBackups(t *testing.T) {
	for name, harm := range map[string]func(m memory, path string){
		"lost":    func(m memory, path string) { delete(m, path) },
		"damaged": func(m memory, path string) { m.put(path, "{") },
		"folder":  func(m memory, path string) { delete(m, path); m.put(filepath.Join(path, "x"), "") },
	} {
		o, m := inMemory(messy)
		before := m.clone()
		mustApply(t, PlanSetup, o)
		for path := range m.clone() {
			if filepath.Dir(path) == filepath.Join(o.StateDir, "backups") {
				harm(m, path)
			}
		}
		mustApply(t, PlanRemove, o)
		for path := range messy {
			at := filepath.Join(home(), path)
			if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".toml") {
				if why := beyond(meaningOf(t, at, before), meaningOf(t, at, m), path); why != "" {
					t.Errorf("%s: %s", name, why)
				}
			}
		}
	}
}
