package main

import (
	"strings"
)

// slipOfIndex returns an index with a slip: a wrong character, two that have changed places, one too few or too many,
// lower case.
func slipOfIndex(w *world, s string) string {
	at := w.r.IntN(len(s) - 1)
	switch w.r.IntN(5) {
	case 0:
		return s[:at] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[w.r.IntN(32)]) + s[at+1:]
	case 1:
		return s[:at] + s[at+1:at+2] + s[at:at+1] + s[at+2:]
	case 2:
		return s[:at] + s[at+1:]
	case 3:
		return s[:at] + "A" + s[at:]
	}
	return strings.ToLower(s)
}

// edits returns the number of edits between two short texts (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// nearToKnown reports whether an index differs from one that the session's hooks know by a slip. Two good ones seldom
// do.
func (s *session) nearToKnown(value string) bool {
	for known, seen := range s.indexes {
		if seen && edits(known, value) <= 2 {
			return true
		}
	}
	return false
}
