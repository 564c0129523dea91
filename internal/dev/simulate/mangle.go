package main

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// damage is a way in which models damage a value that they copy (design, section 4, row "carry").
type damage struct {
	name string
	do   func(r *rand.Rand, token string) string
}

var damages = []damage{
	{"slip", slip},
	{"lost run", func(r *rand.Rand, s string) string {
		at, n := randomRun(r, s)
		return s[:at] + s[at+n:]
	}},
	{"doubled run", func(r *rand.Rand, s string) string {
		at, n := randomRun(r, s)
		return s[:at+n] + s[at:]
	}},
	{"truncated", func(r *rand.Rand, s string) string {
		if r.IntN(3) == 0 {
			return s[:len(s)/4+r.IntN(len(s)/2)]
		}
		return s[:len(s)-1-r.IntN(40)]
	}},
	{"quoted", func(r *rand.Rand, s string) string {
		wrap := [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"<", ">"}, {" ", ""}, {"", "\n"}, {" `", "` "}, {"“", "”"}}[r.IntN(8)]
		return wrap[0] + s + wrap[1]
	}},
	{"abbreviated", func(r *rand.Rand, s string) string {
		gap := []string{"...", "…", "[...]"}[r.IntN(3)]
		return s[:8+r.IntN(40)] + gap + s[len(s)-4-r.IntN(20):]
	}},
	{"two extra digits", widen},
	{"two damages", func(r *rand.Rand, s string) string { return slip(r, widen(r, s)) }},
}

// slip makes one to three typing errors.
func slip(r *rand.Rand, s string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for range 1 + r.IntN(3) {
		at := r.IntN(len(s))
		c := string(letters[r.IntN(len(letters))])
		switch r.IntN(4) {
		case 0:
			s = s[:at] + s[at+1:]
		case 1:
			s = s[:at] + c + s[at:]
		case 2:
			s = s[:at] + c + s[at+1:]
		default:
			if at > 0 {
				s = s[:at-1] + s[at:at+1] + s[at-1:at] + s[at+1:]
			}
		}
	}
	return s
}

func randomRun(r *rand.Rand, s string) (at, n int) {
	n = 4 + r.IntN(9)
	return r.IntN(len(s) - n), n
}

// widen inserts two digits into a UUID inside the value, so that the base64 of everything after it changes. This
// damage was seen first.
func widen(r *rand.Rand, s string) string {
	body, signature, _ := strings.Cut(s, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return s + "ab"
	}
	text := string(raw)
	name := `"sid":"`
	if strings.Contains(text, `"psid":"`) && r.IntN(2) == 0 {
		name = `"psid":"`
	}
	at := strings.Index(text, name)
	if at < 0 {
		return s + "ab"
	}
	at += len(name) + r.IntN(30)
	const digits = "0123456789abcdef"
	text = text[:at] + string(digits[r.IntN(16)]) + string(digits[r.IntN(16)]) + text[at:]
	return base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + signature
}

// splice joins the head of one value and the tail of another.
func splice(r *rand.Rand, head, tail string) string {
	at := len(head)/4 + r.IntN(len(head)/2)
	return head[:at] + tail[min(at, len(tail)-1):]
}
