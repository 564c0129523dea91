// Package templates renders the files in other languages that run wsi: the OpenCode plugin and the callbacks for the
// Claude Agent SDK.
//
// It must not know where such files go or how they are written.
package templates

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the files
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

//go:embed opencode/wsi.js
var plugin string

//go:embed agent-sdk/wsi.ts
var typescript string

//go:embed agent-sdk/wsi.py
var python string

// Placeholders in the files. JSON strings and arrays are literals in all three languages, so each file is valid as it is.
const (
	program = `"__WSI__"`
	servers = `["__SERVERS__"]`
	rulesOf = "\nconst AS = {};\n"
	join    = "\nconst RELAY = false;\n"
)

func fill(file string, p setup.Program) string {
	as := p.As
	if as == nil {
		as = map[string]string{}
	}
	return strings.NewReplacer(program, literal(p.Path), servers, literal(p.Servers),
		rulesOf, "\nconst AS = "+literal(as)+";\n", join, "\nconst RELAY = "+literal(p.Relay)+";\n").Replace(file)
}

// literal encodes strings and lists or maps of them, which cannot fail.
func literal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Versions of the templates in this wsi. wsi replaces a file of an older version and keeps one of a newer version.
const (
	PluginVersion = 3
	sdkVersion    = 1
)

// stamped prepends a line with the file's name, its version and the SHA-256 of the rest, which shows later edits.
func stamped(comment, name string, version int, body string) []byte {
	return fmt.Appendf(nil, "%s wsi %s v%d sha256:%s\n%s", comment, name, version, sum([]byte(body)), body)
}

// OpenCode returns the plugin for OpenCode that runs this program (OpenCode 1.18.33).
func OpenCode(p setup.Program) []byte {
	return stamped("//", "opencode plugin", PluginVersion, fill(plugin, p))
}

// Marked returns the version of a plugin that some version of wsi rendered, edited since or not. ok is false for any other file.
func Marked(content []byte) (version int, ok bool) {
	version, _, ok = marked(content)
	return version, ok
}

func marked(content []byte) (version int, digest string, ok bool) {
	first, _, _ := bytes.Cut(content, []byte("\n"))
	rest, ours := bytes.CutPrefix(first, []byte("// wsi opencode plugin v"))
	number, sum, _ := bytes.Cut(rest, []byte(" sha256:"))
	n, err := strconv.ParseUint(string(number), 10, 16)
	return int(n), string(sum), ours && err == nil
}

// Untouched reports whether content is a plugin that some version of wsi rendered, not edited since.
func Untouched(content []byte) bool {
	_, digest, ok := marked(content)
	_, body, _ := bytes.Cut(content, []byte("\n"))
	return ok && digest == sum(body)
}

func sum(b []byte) string {
	digest := sha256.Sum256(b)
	return hex.EncodeToString(digest[:])
}

// Program returns the program that a plugin runs, edited or not. ok is false for any other file.
func Program(content []byte) (p setup.Program, ok bool) {
	if _, ok := Marked(content); !ok {
		return p, false
	}
	_ = constant(content, "RELAY", &p.Relay) || constant(content, "JOIN", &p.Relay) // the latter is in those of an older wsi
	constant(content, "AS", &p.As)                                                  // the same
	if len(p.As) == 0 {
		p.As = nil
	}
	return p, constant(content, "WSI", &p.Path) && constant(content, "SERVERS", &p.Servers)
}

// constant decodes `const NAME = <JSON>;` and reports whether it is there.
func constant(content []byte, name string, into any) bool {
	_, rest, ok := bytes.Cut(content, []byte("\nconst "+name+" = "))
	value, _, end := bytes.Cut(rest, []byte(";\n"))
	return ok && end && json.Unmarshal(value, into) == nil
}

// Language is a language of the Claude Agent SDK.
type Language string

// The languages.
const (
	TypeScript Language = "typescript"
	Python     Language = "python"
)

// AgentSDK returns a module with callbacks for the Claude Agent SDK that run this program.
func AgentSDK(lang Language, p setup.Program) ([]byte, error) {
	words := make([]string, len(p.Servers)) // a module has a server's rules in the word that names it
	for i, name := range p.Servers {
		words[i] = harnesses.ServerWord(name, p.As[name])
	}
	p.Servers = words
	switch lang {
	case TypeScript:
		return stamped("//", "agent-sdk-ts", sdkVersion, fill(typescript, p)), nil
	case Python:
		return stamped("#", "agent-sdk-py", sdkVersion, fill(python, p)), nil
	}
	return nil, fmt.Errorf("no callbacks for the Agent SDK in %q, only in %s and %s", lang, TypeScript, Python)
}
