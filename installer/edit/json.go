package edit

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tidwall/jsonc"

	"wsi/harnesses/setup"
)

// readJSON reads the text, which must be one JSON object. A blank one becomes an empty object.
func (d *document) readJSON() error {
	if isBlank(d.text) {
		d.text = []byte("{}\n")
	}
	if at := d.unclosed(); at >= 0 {
		return setup.Locate(d.text, at, errors.New("this comment does not end"))
	}
	if d.plain = d.text; d.format == setup.JSONC {
		d.plain = jsonc.ToJSON(d.text)
	}
	root, err := setup.DecodeJSON[any](d.plain)
	if err != nil {
		return err
	}
	var ok bool
	if d.tree, ok = root.(map[string]any); !ok {
		start := len(d.plain) - len(bytes.TrimLeft(d.plain, " \t\r\n"))
		return setup.Locate(d.text, start, errors.New("it is not a JSON object"))
	}
	return nil
}

// unclosed returns the start of a comment that does not end, or -1.
func (d *document) unclosed() int {
	for i := 0; i < len(d.text); i++ {
		if d.text[i] == '"' {
			for i++; i < len(d.text) && d.text[i] != '"'; i++ {
				if d.text[i] == '\\' {
					i++
				}
			}
		} else if end := d.comment(i); end < 0 {
			return i
		} else if end > i {
			i = end - 1
		}
	}
	return -1
}

// itemJSON locates the values of a JSON document.
func (d *document) itemJSON() ([]item, error) {
	r := tokens{json.NewDecoder(bytes.NewReader(d.plain)), d.plain}
	r.UseNumber()
	token, at, err := r.next()
	if err != nil {
		return nil, err
	}
	root, err := r.node(token, at)
	return []item{{span: root.span, value: root}}, err
}

// tokens are the tokens of a JSON document. It is read once, however deep it is nested.
type tokens struct {
	*json.Decoder

	plain []byte
}

// next returns the next token and its place.
func (r tokens) next() (json.Token, span, error) {
	from := int(r.InputOffset())
	token, err := r.Token()
	to := int(r.InputOffset())
	from = to - len(bytes.TrimLeft(r.plain[from:to], " \t\r\n,:"))
	return token, span{from, to}, err
}

// node returns the value that begins with a token.
func (r tokens) node(token json.Token, at span) (n node, err error) {
	n.span = at
	switch v := token.(type) {
	case string:
		n.kind = kindText
		return n, nil
	case json.Delim:
		if n.kind = kindList; v == '{' {
			n.kind = kindObject
		}
	default:
		return n, nil
	}
	for r.More() {
		if token, at, err = r.next(); err != nil {
			return n, err
		}
		k := kid{key: []string{""}, at: at.start}
		if n.kind == kindObject {
			k.key[0], _ = token.(string)
			if token, at, err = r.next(); err != nil {
				return n, err
			}
		}
		if k.val, err = r.node(token, at); err != nil {
			return n, err
		}
		n.kids = append(n.kids, k)
	}
	_, end, err := r.next()
	n.end = end.end
	return n, err
}
