package carry

import (
	"slices"
	"strings"
	"unicode"

	"wsi/internal/jsonraw"
)

// HandsOff returns why an argument of a call is never injected or repaired, whatever a rule says, or "". The
// user makes decisions; a cursor says what the model has already read; a destructive tool must destroy
// exactly what the model asked for. args are the call's arguments, nil if they are not known: what a tool
// does may depend on its argument "action".
func HandsOff(tool, argument string, args []byte) (why string) {
	path := strings.Split(argument, ".")
	last := words(path[len(path)-1])
	if slices.ContainsFunc(last, func(w string) bool { return slices.Contains(decisions, w) }) {
		return "the argument is a decision"
	}
	if slices.ContainsFunc(last, func(w string) bool { return slices.Contains(cursors, w) }) {
		return "the argument is a cursor"
	}
	does := words(tool)
	members, _ := jsonraw.ObjectIn(args) // none if they are not known
	does = append(does, words(members.String("action"))...)
	if slices.ContainsFunc(does, func(w string) bool { return slices.Contains(answers, w) }) {
		return "the tool takes a decision"
	}
	if slices.ContainsFunc(does, func(w string) bool { return slices.Contains(destroys, w) }) {
		return "the tool destroys or stops something"
	}
	return ""
}

// The words that mark a name: those of the known servers, and similar ones.
var (
	decisions = []string{
		"approval", "approve", "approved", "choice", "confirm", "confirmation", "consent", "decision", "input",
		"option", "options", "permission", "permit", "request", "verdict",
	}
	answers  = []string{"approval", "approve", "consent", "permission", "permit", "verdict"}
	cursors  = []string{"after", "before", "cursor", "offset", "page", "since"}
	destroys = []string{
		"abort", "archive", "cancel", "clear", "close", "delete", "destroy", "drop", "erase", "interrupt", "kill",
		"purge", "remove", "reset", "revoke", "stop", "terminate", "wipe",
	}
)

// words splits a name like claude_code_check, nextCursor, MCPDelete or read-only into words, in lower case.
func words(name string) []string {
	var found []string
	start := 0
	runes := []rune(name)
	add := func(end int) {
		if end > start {
			found = append(found, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			start = i + 1
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			add(i)
		}
	}
	add(len(runes))
	return found
}
