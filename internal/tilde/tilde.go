// Package tilde shortens paths for people. It must not know where a text is shown.
package tilde

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shorten writes the home folder as ~ wherever a path in the text begins with it, but for a path in
// quotes: pasted into a shell, that ~ would mean itself. A home of "" or of the root alone stays.
func Shorten(text, home, sep string) string {
	if home == "" || home == sep {
		return text
	}
	if text == home {
		return "~"
	}
	var short strings.Builder
	for {
		before, rest, found := strings.Cut(text, home+sep)
		short.WriteString(before)
		if !found {
			return short.String()
		}
		if last, _ := utf8.DecodeLastRuneInString(short.String()); inPath(last) {
			short.WriteString(home + sep)
		} else {
			short.WriteString("~" + sep)
		}
		text = rest
	}
}

// inPath tells whether what follows this character is in the middle of a path, or in quotes.
func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`/\._-~+@'"`, r)
}
