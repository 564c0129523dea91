// Package phrase forms small parts of texts for people: counts, ages, one line of many, paths below the home folder.
// It must not know where a text is shown.
package phrase

import (
	"cmp"
	"errors"
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
		last, _ := utf8.DecodeLastRuneInString(short.String())
		if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(`/\._-~+@'"`, last) { // in the middle of a path, or in quotes
			short.WriteString(home + sep)
		} else {
			short.WriteString("~" + sep)
		}
		text = rest
	}
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

// Some joins as many words as fit into a width, one at least, and says how many more there are: "a, b and 3 more".
func Some(words []string, width int) string {
	text := strings.Join(words, ", ")
	for n := len(words) - 1; n > 0 && utf8.RuneCountInString(text) > width; n-- {
		text = fmt.Sprintf("%s and %d more", strings.Join(words[:n], ", "), len(words)-n)
	}
	return text
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

// Reason returns why something failed, without the path that packages os and exec put before that.
func Reason(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// Fix is what a user can do: in words, by typing a command, or both. The words before a command say when, where or what
// for it is typed. No code may look into the words: other words, or another language, must not change what wsi does.
type Fix struct {
	Text    string `json:"text,omitempty"`
	Command string `json:"command,omitempty"` // it can be typed as it is
}

// String returns a fix on one line.
func (f Fix) String() string {
	if f.Text != "" && f.Command != "" {
		return f.Text + ": " + f.Command
	}
	return f.Text + f.Command
}

// Label returns the word before a fix: a command repairs what is wrong when it is typed, words must be read.
func (f Fix) Label() string {
	if f.Text == "" {
		return "fix:"
	}
	return "to do:"
}

// Then returns the fix that does this one first, and then next.
func (f Fix) Then(next Fix) Fix {
	switch {
	case f == Fix{}:
		return next
	case f.Text == "" && next.Text == "":
		return Fix{Command: f.Command + " && " + next.Command}
	}
	return Fix{Text: f.String() + ", then " + cmp.Or(next.Text, "type"), Command: next.Command}
}

// Map returns the fix with both of its parts changed by f.
func (f Fix) Map(change func(string) string) Fix {
	return Fix{Text: change(f.Text), Command: change(f.Command)}
}
