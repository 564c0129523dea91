package handles

import (
	"strings"
)

// Kind is the alphabet and form of an id.
type Kind string

// The kinds of ids. A Prefixed id is a word, "_" or "-", and a random part: "bsk_a1b2c3d4e5f6g7".
const (
	UUID     Kind = "uuid"
	Hex      Kind = "hex"
	Digits   Kind = "digits"
	Prefixed Kind = "prefixed"
	Mixed    Kind = "mixed" // letters and digits, "-" and "_"
)

// Shape is what ids of one class have in common.
type Shape struct {
	Kind   Kind
	Prefix string // of a Prefixed id, with its separator
	Length int    // bytes; 0 for Mixed and Prefixed ids, whose length may vary
}

// The lengths of ids, in bytes. What is longer is a token or a signature, not an id.
const (
	minLength = 16
	minRandom = 14 // of a Prefixed id, behind the prefix
	maxLength = 128
)

// secrets are beginnings of well-known credentials.
var secrets = []string{"sk-", "sk_", "pk_live", "rk_live", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza", "ya29", "eyJ", "npm_", "pypi-", "hf_", "dop_v1_", "whsec_"}

// ShapeOf returns the shape of an id. ok is false for a text that is not one, or that may be a secret.
func ShapeOf(s string) (shape Shape, ok bool) {
	if len(s) < minLength || len(s) > maxLength {
		return Shape{}, false
	}
	c, ok := countIn(s)
	if !ok {
		return Shape{}, false
	}
	for _, secret := range secrets {
		if strings.HasPrefix(s, secret) {
			return Shape{}, false
		}
	}
	switch {
	case isUUID(s):
		return Shape{Kind: UUID, Length: len(s)}, true
	case c.digits == len(s):
		return Shape{Kind: Digits, Length: len(s)}, len(s) <= 20
	case c.hex == len(s):
		return Shape{Kind: Hex, Length: len(s)}, c.digits > 0 && c.lower*c.upper == 0
	}
	if prefix := prefixOf(s); prefix != "" {
		if c, ok := countIn(s[len(prefix):]); ok && c.separators == 0 && c.random() {
			return Shape{Kind: Prefixed, Prefix: prefix}, true
		}
	}
	return Shape{Kind: Mixed}, c.random() && c.separators*4 <= len(s)
}

// counts are how many bytes of a text are of each kind.
type counts struct {
	all, digits, lower, upper, hex, separators int
	words                                      int // lower-case letters behind another one
}

// countIn reports false for a text with other characters than an id has.
func countIn(s string) (c counts, ok bool) {
	for i := range len(s) {
		b := s[i]
		switch {
		case b >= '0' && b <= '9':
			c.digits++
			c.hex++
		case b >= 'a' && b <= 'z':
			c.lower++
			if b <= 'f' {
				c.hex++
			}
			if i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
				c.words++
			}
		case b >= 'A' && b <= 'Z':
			c.upper++
			if b <= 'F' {
				c.hex++
			}
		case b == '-', b == '_':
			c.separators++
		default:
			return counts{}, false
		}
	}
	c.all = len(s)
	return c, true
}

// random reports whether a text looks drawn, not written: names and sentences have few digits, and lower-case
// letters in a row.
func (c counts) random() bool {
	if c.lower > 0 && c.upper > 0 {
		return c.digits > 0 && c.words*100 <= c.all*45
	}
	return c.digits >= 2 && c.digits*100 >= c.all*15
}

// bits are how much n drawn characters of a kind say, in hundredths.
func (s Shape) bits(n int) int {
	switch s.Kind {
	case UUID, Hex:
		return n * 400
	case Digits:
		return n * 332
	case Prefixed, Mixed:
	}
	return n * 517 // letters of one case and digits: the least of the alphabets in use
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' }

// prefixOf returns the word before the random part, with its separator, "" if there is none.
func prefixOf(s string) string {
	at := strings.LastIndexAny(s, "_-") + 1
	if at < 2 || at > 24 || len(s)-at < minRandom {
		return ""
	}
	for i := range at {
		if b := s[i]; (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b != '_' && b != '-' {
			return ""
		}
	}
	return s[:at]
}

// Sensitive reports whether a member of this name may hold a secret, however it looks.
func Sensitive(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"secret", "passw", "token", "apikey", "api_key", "api-key", "credential", "authorization", "cookie", "private", "signature", "bearer"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
