package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"wsi/harnesses/setup"
)

// style is the formatting of a document.
type style struct {
	as      setup.Format
	lines   bool   // members have lines of their own
	unit    string // one step of indentation
	newline string
	colon   string // ":" or ": "
	gap     string // text after a comma on the same line
}

func (d *document) style() style {
	s := style{as: d.format, lines: true, unit: "  ", newline: "\n", colon: ": ", gap: " "}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	root, _ := d.find()
	if len(root.kids) == 0 || d.format == setup.TOML {
		return s
	}
	first := root.kids[0]
	if indent, ok := d.ownLine(first.at); ok {
		s.unit = indent
		return s
	}
	if indent := d.firstIndent(); indent != "" {
		s.unit = indent
	}
	s.lines = false
	if !strings.ContainsAny(string(d.text[first.val.start-1]), " \t") {
		s.colon, s.gap = ":", ""
	}
	return s
}

// firstIndent returns the indentation of the first indented line.
func (d *document) firstIndent() string {
	for line := range bytes.Lines(d.text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return ""
}

// block formats a member or value over several lines, with the first one indented too. In TOML it stays on one.
func (s style) block(raw, indent string) string {
	if s.as == setup.TOML {
		return indent + raw
	}
	var b bytes.Buffer
	key, value := splitKey(raw)
	if err := json.Indent(&b, []byte(value), indent, s.unit); err != nil {
		return indent + raw
	}
	if key != "" {
		key += ": "
	}
	return indent + strings.ReplaceAll(key+b.String(), "\n", s.newline)
}

// inline formats a member or value on one line.
func (s style) inline(raw string) string {
	if s.as == setup.TOML {
		return raw
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case quoted && c == '\\':
			b.WriteByte(c)
			i++
			b.WriteByte(raw[i])
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && c == ':':
			b.WriteString(s.colon)
			continue
		case !quoted && c == ',':
			b.WriteString("," + s.gap)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// splitKey splits a member into key and value; a value alone has no key.
func splitKey(raw string) (key, value string) {
	if !strings.HasPrefix(raw, `"`) {
		return "", raw
	}
	end := 1
	for ; end < len(raw) && raw[end] != '"'; end++ {
		if raw[end] == '\\' {
			end++
		}
	}
	if end+1 < len(raw) && raw[end+1] == ':' {
		return raw[:end+1], raw[end+2:]
	}
	return "", raw
}
