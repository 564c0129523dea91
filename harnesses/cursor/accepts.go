package cursor

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
)

var events = []string{
	"beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterMCPExecution", "beforeReadFile",
	"afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse",
	"afterAgentThought", "sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop", "preToolUse",
	"postToolUse", "postToolUseFailure", "workspaceOpen",
}

// accepts knows the errors for which Cursor rejects or silently drops a whole hooks.json.
func accepts(_ harnesses.HookFile, content []byte) error {
	if err := acceptsFile(content); err != nil {
		return fmt.Errorf("cursor ignores the whole file: %w", err)
	}
	return nil
}

func acceptsFile(content []byte) error {
	var root map[string]any
	plain := jsonc.ToJSON(content)
	if err := json.Unmarshal(plain, &root); err != nil {
		return harnesses.ExplainJSON(plain, err)
	}
	version, ok := root["version"].(float64)
	if !ok || version < 1 || version != float64(int64(version)) {
		return errors.New("version is not a positive whole number")
	}
	if err := noSlashes("", root); err != nil {
		return err
	}
	hooks, _ := root["hooks"].(map[string]any)
	for event, raw := range hooks {
		if !slices.Contains(events, event) {
			return fmt.Errorf("unknown event %q", event)
		}
		entries, _ := raw.([]any)
		for i, raw := range entries {
			entry, _ := raw.(map[string]any)
			pattern, _ := entry["matcher"].(string)
			if err := compiles(pattern); err != nil {
				return fmt.Errorf("hooks.%s[%d]: the matcher %s is no regular expression: %w", event, i, pattern, err)
			}
		}
	}
	return nil
}

// noSlashes: Cursor strips comments with no regard to strings, and drops a file with :// in a
// command without a word. The error names the place, for the string may hold a secret.
func noSlashes(place string, v any) error {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "//") || strings.Contains(v, "/*") {
			return fmt.Errorf("it takes the // or /* in %s for a comment", strings.TrimPrefix(place, "."))
		}
	case []any:
		for i, e := range v {
			if err := noSlashes(fmt.Sprintf("%s[%d]", place, i), e); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, e := range v {
			if key == "$schema" {
				continue
			}
			if err := noSlashes(place+"."+key, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// What JavaScript has and Go has not: lookaround and its spelling of a named group.
var jsGroup = regexp.MustCompile(`\(\?(=|!|<=|<!|<\w+>)`)

// compiles reports what is wrong in JavaScript's regular expressions as well as in Go's. A lone *
// means all.
func compiles(pattern string) error {
	if pattern == "*" || strings.Contains(pattern, "[]") || strings.Contains(pattern, "[^]") {
		return nil
	}
	_, err := syntax.Parse(jsGroup.ReplaceAllString(pattern, "(?:"), syntax.Perl)
	var e *syntax.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrInvalidCharRange,
		syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp, syntax.ErrTrailingBackslash:
		return err
	}
	return nil
}
