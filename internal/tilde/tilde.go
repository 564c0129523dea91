// Package tilde shortens paths in messages. It must not know where they are shown.
package tilde

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shorten replaces the home folder by ~ at the start of each path in text. Paths in quotes stay, because a shell
// does not expand a quoted ~. If home is "" or the root, Shorten returns text.
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

// inPath reports whether text after this character is in the middle of a path, or in quotes.
func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`/\._-~+@'"`, r)
}
