package harnesses

// SafeName replaces every character of a server's or tool's name that keep rejects by "_", as harnesses do when
// they build a tool's name.
func SafeName(name string, keep func(r rune) bool) string {
	out := make([]byte, 0, len(name))
	for _, r := range name {
		if r < 0x80 && keep(r) {
			out = append(out, byte(r))
		} else {
			out = append(out, '_')
		}
	}
	return string(out)
}

// WordOrHyphen keeps [A-Za-z0-9_-]: Claude Code 2.1.329, OpenCode 1.18.33.
func WordOrHyphen(r rune) bool { return r == '-' || Word(r) }

// Word keeps [A-Za-z0-9_]: Codex 0.169.0.
func Word(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
