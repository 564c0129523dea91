// Package phrase forms small parts of texts for people: counts, ages, one line of many, paths below the home folder.
// It must not know where a text is shown.
package phrase

import (
	"fmt"
	"strings"
	"time"
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

// Count returns a number with its noun, which is in the singular for 1.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List joins words as a sentence does: "a, b and c". The last comma is a word such as "and".
func List(words []string, last string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
	}
	return strings.Join(words, "")
}

// Age returns a duration in its largest unit, such as "2 min".
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// OneLine returns a text with single blanks instead of line ends and other white space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
