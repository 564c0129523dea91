package opencode

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// moduleEvents are the hooks that a plugin can return (1.18.33). Those with a dot are told by their names alone.
var (
	dotted = regexp.MustCompile("[\"'`]((?:chat\\.(?:message|params|headers)|permission\\.ask|command\\.execute\\.before|tool\\.execute\\.(?:before|after)|tool\\.definition|shell\\.env|experimental\\.[a-z.]+))[\"'`]\\s*(?:[:(]|\\]\\s*[=:(])")
	plain  = regexp.MustCompile(`(?m)(?:^|[{,\s])(event|config|tool|auth|provider|dispose)\s*(?::\s*(?:async\b|function\b|\(|\{|([A-Za-z_$][\w$]*)\s*(?:=>|[,}\n]))|\()`)

	// types are what stands behind a name in a declaration of TypeScript, not in an object.
	types = []string{"string", "number", "boolean", "any", "unknown", "void", "never", "object"}
)

// readModule finds in the text of a plugin which hooks it has, as far as its text shows it, and why OpenCode would not load
// it. What a plugin does when it is loaded cannot be told without running it.
func readModule(source []byte) (events []string, problem string) {
	code := withoutComments(source)
	for _, m := range dotted.FindAllSubmatch(code, -1) {
		events = append(events, string(m[1]))
	}
	for _, m := range plain.FindAllSubmatch(code, -1) {
		if !slices.Contains(types, string(m[2])) {
			events = append(events, string(m[1]))
		}
	}
	slices.Sort(events)
	return slices.Compact(events), exportProblem(code)
}

var (
	anyExport   = regexp.MustCompile(`(?m)(?:^|[;}\s])export\b|\bmodule\.exports\b|\bexports\.\w`)
	constExport = regexp.MustCompile("(?m)^[ \\t]*export\\s+(?:const|let|var)\\s+([\\w$]+)\\s*(?::[^=\\n]+)?=\\s*([\"'`\\d\\[/-]|true\\b|false\\b|null\\b|undefined\\b|new\\s)")
	classExport = regexp.MustCompile(`(?m)^[ \t]*export\s+(?:default\s+)?(?:abstract\s+)?(class|enum)\b\s*([\w$]*)`)
	defaultData = regexp.MustCompile("(?m)^[ \\t]*export\\s+default\\s+([\"'`\\d\\[]|true\\b|false\\b|null\\b)")
)

// exportProblem returns why OpenCode loads nothing from a module: every export must be a function.
func exportProblem(code []byte) string {
	switch m := constExport.FindSubmatch(code); {
	case !anyExport.Match(code):
		return "it exports nothing"
	case m != nil:
		return "it exports " + string(m[1]) + ", which is not a function, and OpenCode then ignores the whole file"
	case defaultData.Match(code):
		return "its default export is not a function"
	}
	if m := classExport.FindSubmatch(code); m != nil {
		return strings.TrimSpace("it exports the "+string(m[1])+" "+string(m[2])) + ", which is not a function, and OpenCode then ignores the whole file"
	}
	switch {
	case !moduleExport.Match(code):
		return "it is a CommonJS module, from which OpenCode loads nothing"
	case !defaultObject.Match(code):
		return ""
	case !serverMember.Match(code):
		return "its default export is an object without server()"
	case !idMember.Match(code):
		return "its default export has server() but no id, and OpenCode then ignores the file"
	}
	return ""
}

var (
	moduleExport  = regexp.MustCompile(`(?m)(?:^|[;}\s])export\b`)
	defaultObject = regexp.MustCompile(`(?m)^[ \t]*export\s+default\s*\{`)
	serverMember  = regexp.MustCompile(`\bserver\s*[:(,}]`)
	idMember      = regexp.MustCompile(`\bid\s*[:,}]|["']id["']\s*:`)
)

// withoutComments replaces comments by spaces, so that nothing is found in them. It knows strings, but not regular
// expressions: it may take the rest of a line for a comment.
func withoutComments(source []byte) []byte {
	code := bytes.Clone(source)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
	}
	for i := 0; i < len(code); i++ {
		rest := code[i:]
		switch {
		case code[i] == '"' || code[i] == '\'' || code[i] == '`':
			i += stringEnd(rest)
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			blank(i, i+end)
			i += end - 1
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				end = len(rest) - 4
			}
			blank(i, i+end+4)
			i += end + 3
		}
	}
	return code
}

// stringEnd returns the index of the quote that ends a string, or of the end of its line.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0], text[i] == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text) - 1
}
