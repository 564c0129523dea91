package carry

import (
	"crypto/sha256"
	"strings"
)

// An alias replaces a value where a model reads it. It is short, so models seldom copy it wrong. Its check
// characters detect most errors. It reveals nothing about the value.
//
//	wsi:b8bd-3k3v
//	    ^^^^ ^^    from the value's digest
//	           ^^  check characters
const (
	aliasPrefix = "wsi:"
	aliasDigits = "0123456789abcdefghjkmnpqrtuvwxy" // 31, a prime; no two look alike
	aliasBody   = 6
	aliasLength = len(aliasPrefix) + aliasBody + 2 + 1
)

// Alias returns the alias of a value.
func Alias(value string) string {
	sum := sha256.Sum256([]byte("alias of " + value))
	var body [aliasBody]byte
	for i := range body {
		n := uint(sum[2*i])<<8 | uint(sum[2*i+1])
		body[i] = byte(n % uint(len(aliasDigits)))
	}
	one, two := check(body)
	out := []byte(aliasPrefix)
	for i, d := range append(body[:], one, two) {
		if i == 4 {
			out = append(out, '-')
		}
		out = append(out, aliasDigits[d])
	}
	return string(out)
}

// check returns two check digits. At least one of them changes if one digit of the body changes or two
// digits swap places.
func check(body [aliasBody]byte) (one, two byte) {
	var sum, weighted int
	for i, d := range body {
		sum += int(d)
		weighted += (i + 2) * int(d)
	}
	return byte(sum % len(aliasDigits)), byte(weighted % len(aliasDigits))
}

// aliasIn returns the alias that a text consists of, in canonical form. It ignores punctuation around it, upper
// case and a missing hyphen. It also returns a mistyped alias.
func aliasIn(text string) (alias string, is bool) {
	s := strings.ToLower(strings.Trim(text, " \t\r\n\"'`<>[](){}.,"))
	rest, is := strings.CutPrefix(s, aliasPrefix)
	if !is {
		return "", false
	}
	rest = strings.ReplaceAll(strings.TrimSpace(rest), "-", "")
	if len(rest) > 4 {
		rest = rest[:4] + "-" + rest[4:]
	}
	return aliasPrefix + rest, true
}

// CheckAlias reports whether a text can be an alias made by wsi, and returns it in canonical form.
func CheckAlias(text string) (alias string, ok bool) {
	alias, is := aliasIn(text)
	if !is || len(alias) != aliasLength {
		return alias, false
	}
	var digits [aliasBody + 2]byte
	for i, c := range strings.Replace(alias[len(aliasPrefix):], "-", "", 1) {
		at := strings.IndexRune(aliasDigits, c)
		if at < 0 {
			return alias, false
		}
		digits[i] = byte(at)
	}
	one, two := check([aliasBody]byte(digits[:aliasBody]))
	return alias, digits[aliasBody] == one && digits[aliasBody+1] == two
}

// Aliased returns the stored value that has this alias, "" if there is none or more than one. It looks at
// the values of one server, or of all if server is "".
func (s *State) Aliased(server, alias string) (value string) {
	for _, c := range s.values(server) {
		if c.Value == value || Alias(c.Value) != alias {
			continue
		}
		if value != "" {
			return ""
		}
		value = c.Value
	}
	return value
}

// expand decides about an argument that holds an alias. An alias of no stored value must not be sent: the
// workflow-server starts a new session if it gets something that is not a token (main branch of 2026-05-13).
func (b *before) expand(alias string) Decision {
	if _, ok := CheckAlias(alias); !ok {
		return Decision{Action: Denied, Why: "the alias is mistyped; copy it again from the answer that showed it", Final: true}
	}
	if value := b.state.Aliased(b.rule.Server, alias); value != "" {
		return Decision{Action: Expanded, Value: value}
	}
	found := ""
	for _, other := range b.others() {
		value := other.Aliased(b.rule.Server, alias)
		if value != "" && found != "" && value != found {
			return Decision{Action: Denied, Why: "the alias stands for more than one value"}
		}
		if value != "" {
			found = value
		}
	}
	if found != "" {
		return Decision{Action: Expanded, Value: found}
	}
	return Decision{Action: Denied, Why: "the alias stands for no value that is kept; use the newest one that was shown", UnknownAlias: true}
}
