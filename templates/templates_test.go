package templates

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"wsi/harnesses"
)

var programs = []harnesses.Program{
	{Path: "/usr/local/bin/wsi", Servers: []string{"workflow-server"}},
	{Path: "C:/Program Files/wsi/wsi.exe", Servers: []string{"a", "b"}},
	{Path: `/q"uo\te/${x}/<b>&/` + "`ls`/ünï/wsi", Servers: []string{`s"; process.exit(1); "`, "tab\tend\u2028"}},
	{Path: `/["__SERVERS__"]/"__WSI__"/wsi`, Servers: []string{`"__WSI__"`, "\nconst WSI = 1;\n"}},
}

func TestOnlyTheProgramIsFilledIn(t *testing.T) {
	p := harnesses.Program{Path: "/opt/w/wsi", Servers: []string{"workflow-server", "other"}}
	render := func(lang Language) string {
		content, err := AgentSDK(lang, p)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	_, plugged, _ := strings.Cut(string(OpenCode(p)), "\n")
	for _, c := range []struct{ name, template, got, golden string }{
		{"plugin", plugin, plugged, "const WSI = \"/opt/w/wsi\";\nconst SERVERS = [\"workflow-server\",\"other\"];\n"},
		{"typescript", typescript, render(TypeScript), "const WSI = \"/opt/w/wsi\";\nconst SERVERS = [\"workflow-server\",\"other\"];\n"},
		{"python", python, render(Python), "WSI = \"/opt/w/wsi\"\nSERVERS = [\"workflow-server\",\"other\"]\n"},
	} {
		var changed strings.Builder
		lines := strings.SplitAfter(c.template, "\n")
		for i, line := range strings.SplitAfter(c.got, "\n") {
			if i >= len(lines) || line != lines[i] {
				changed.WriteString(line)
			}
		}
		if changed.String() != c.golden {
			t.Errorf("%s: changed lines\n%s\nwant\n%s", c.name, changed.String(), c.golden)
		}
	}
}

func TestPluginIsRecognised(t *testing.T) {
	for _, p := range programs {
		content := OpenCode(p)
		if !Untouched(content) {
			t.Errorf("%q: its own plugin is foreign", p.Path)
		}
		if got, ok := Program(content); !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("program %+v %v, want %+v", got, ok, p)
		}
		edited := bytes.Replace(content, []byte("inject"), []byte("eject"), 1)
		if Untouched(edited) {
			t.Errorf("%q: an edited plugin counts as untouched", p.Path)
		}
		if got, ok := Program(edited); !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("program of an edited plugin %+v %v", got, ok)
		}
	}
	good := OpenCode(programs[0])
	for name, content := range map[string][]byte{
		"nothing":        nil,
		"the template":   []byte(plugin),
		"only the mark":  []byte(mark),
		"shortened":      good[:len(good)-1],
		"lengthened":     append(bytes.Clone(good), '\n'),
		"windows breaks": bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")),
		"foreign":        []byte("// wsi\nexport const wsi = () => ({})\n"),
	} {
		if Untouched(content) {
			t.Errorf("%s counts as untouched", name)
		}
	}
	if p, ok := Program([]byte(plugin)); ok {
		t.Errorf("a file without the mark runs %+v", p)
	}
}

func TestLiteralsMeanTheSameEverywhere(t *testing.T) {
	for name, script := range map[string]string{
		"node":    "process.stdout.write(JSON.stringify([%s, %s]))",
		"python3": "import json,sys; sys.stdout.write(json.dumps([%s, %s]))",
	} {
		interpreter, err := exec.LookPath(name)
		if err != nil && name == "python3" {
			continue
		}
		flag := map[string]string{"node": "-e", "python3": "-c"}[name]
		for _, p := range programs {
			code := strings.Replace(strings.Replace(script, "%s", literal(p.Path), 1), "%s", literal(p.Servers), 1)
			out, err := exec.Command(interpreter, flag, code).Output()
			if err != nil {
				t.Fatalf("%s %s: %v", name, code, err)
			}
			var got [2]any
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if want := [2]any{p.Path, anys(p.Servers)}; !reflect.DeepEqual(got, want) {
				t.Errorf("%s reads %s as %q", name, code, got)
			}
		}
	}
}

func anys(list []string) (all []any) {
	for _, s := range list {
		all = append(all, s)
	}
	return all
}
