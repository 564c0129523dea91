package carry

import (
	"crypto/sha256"
	"strings"
)

// An alias stands for one value where a model reads it: short enough to be copied without a slip, and
// if there is one all the same its check characters tell. It says nothing of the value.
//
//	wsi:b8bd-3k7q
//	    ^^^^ ^^    from the value's digest
//	           ^^  check characters
const (
	aliasPrefix = "wsi:"
	aliasDigits = "0123456789abcdefghjkmnpqrtuvwxy" // 31, a prime, and none that looks like another
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

// check returns two digits of which at least one differs for any two bodies that differ in one
// place, or by two places having changed theirs.
func check(body [aliasBody]byte) (one, two byte) {
	var sum, weighted int
	for i, d := range body {
		sum += int(d)
		weighted += (i + 2) * int(d)
	}
	return byte(sum % len(aliasDigits)), byte(weighted % len(aliasDigits))
}

// aliasIn returns the alias that a text is, in its one way of writing: whatever is around it,
// capital letters and a lost hyphen do not count. A mistyped one is an alias, too.
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

// CheckAlias tells whether a text can be an alias that wsi has made, and returns it in its one way of
// writing.
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

// Aliased returns the stored value of a server, "" for any, that an alias stands for; "" if there is
// none or more than one.
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

// expand decides what becomes of an argument that holds an alias. One that stands for nothing must not
// be sent: the workflow-server begins anew with what is no token (its main branch of 2026-05-13).
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
