package main

import (
	"os"
	"regexp"
)

var screenIn = regexp.MustCompile("(?s)\\[[a-z0-9-]+\\.txt\\]\\(screens/([a-z0-9-]+\\.txt)\\)\n\n```text\n(.*?)```\n")

// updateDocs replaces the screens in a document. A screen follows a link to its file.
func updateDocs(path string, files map[string][]byte) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var now []byte
	at := 0
	for _, m := range screenIn.FindAllSubmatchIndex(text, -1) {
		if screen, ok := files[string(text[m[2]:m[3]])]; ok {
			now = append(append(now, text[at:m[4]]...), screen...)
			at = m[5]
		}
	}
	return os.WriteFile(path, append(now, text[at:]...), 0o644) //nolint:gosec // for everyone to read
}
