package main

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	date   = regexp.MustCompile(`\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d((\.\d+)?(Z|[+-]\d\d:\d\d))?|\b\d{19}\b`)
	micros = regexp.MustCompile(`(?m)^(\{"t":"NOW","verb":.*),"us":\d+(,"wait":\d+)?\}$`)
	took   = regexp.MustCompile(`\s*(\(?)\b\d+(\.\d+)?\s+(ms\b|s ago\b)|"(took_ms|p\d\d_us)": ?\d+`) // lines break in other places, too
	length = regexp.MustCompile(`("since": ?"NOW",\s*"bytes": ?)\d+`)                                // of a journal, which has microseconds
	// What a doctor says that takes long.
	checking = regexp.MustCompile(`(?m)^(stderr: )?checking [a-z-]+\.[a-z., -]+\n`)
	// What the relay draws by lot.
	session   = regexp.MustCompile(`"session":"[0-9a-f]{8}"`)
	vaultFile = regexp.MustCompile(`(/vault)/[0-9a-f]{2}(/[0-9a-f]{30})?`)
)

// timeless replaces what differs between two runs of one program: times of the last hour, how long a hook or a check of the
// doctor took, what it was doing meanwhile, and the checksum of the program. Older times stay: they are from recorded files.
func timeless(text, sum string) string {
	text = date.ReplaceAllStringFunc(text, func(s string) string {
		if time.Since(parse(s)).Abs() < time.Hour {
			return "NOW"
		}
		return s
	})
	text = micros.ReplaceAllString(text, `$1,"us":N}`)
	text = took.ReplaceAllString(text, " ${1}N $3$4")
	text = length.ReplaceAllString(text, "${1}N")
	text = checking.ReplaceAllString(text, "$1")
	return strings.ReplaceAll(text, sum, "SUM")
}

// parse returns the time of a date, with or without a zone, or of nanoseconds since 1970. It is zero if there is none.
func parse(s string) time.Time {
	if nanos, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.Unix(0, nanos)
	}
	for _, layout := range []string{time.RFC3339, time.DateTime} {
		if at, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return at
		}
	}
	return time.Time{}
}

// sumOf returns the checksum of a program.
func sumOf(program []byte) string {
	sum := sha256.Sum256(program)
	return hex.EncodeToString(sum[:])
}
