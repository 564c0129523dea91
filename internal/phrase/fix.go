package phrase

import "cmp"

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
