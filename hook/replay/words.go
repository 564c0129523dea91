package replay

import (
	"hash/maphash"
)

// The lengths of words that are remembered, in bytes. What is shorter is no id and no part of one that counts as
// cut; what is longer is a blob.
const (
	minWord = 8
	maxWord = 160
)

// maxWords bounds the words of a recording's sessions. When there are more, an id may have been among those that were
// left out.
const maxWords = 1 << 19

// words are the words of a session that may be ids, as hashes.
type words struct {
	seed   maphash.Seed
	all    map[uint64]struct{}
	left   *int // how many more may be remembered
	forgot bool // earlier words of the session are not among them
}

// inWord are the characters of a word.
var inWord = func() (in [256]bool) {
	for _, c := range "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-" {
		in[c] = true
	}
	return in
}()

// add adds the words of a raw JSON value. Escapes end a word, also those in JSON within a string.
func (w *words) add(raw []byte) {
	each(raw, func(word []byte) {
		w.one(word)
		// "run-550e8400-..." shows "550e8400-..." as well.
		for i := range word {
			if c := word[i]; c == '-' || c == '_' {
				word = word[i+1:]
				if len(word) >= minWord && hasDigit(word) {
					w.one(word)
				}
				return
			} else if c < 'A' {
				return
			}
		}
	})
}

func (w *words) one(word []byte) {
	hash := maphash.Bytes(w.seed, word)
	if _, known := w.all[hash]; known {
		return
	}
	if *w.left == 0 {
		w.forgot = true
		return
	}
	w.all[hash] = struct{}{}
	*w.left--
}

func (w *words) has(id string) bool {
	_, ok := w.all[maphash.String(w.seed, id)]
	return ok
}

// each calls word for each word of a raw JSON value that may be an id.
func each(raw []byte, word func([]byte)) {
	for i := 0; i < len(raw); {
		if !inWord[raw[i]] {
			if raw[i] == '\\' {
				for i < len(raw) && raw[i] == '\\' {
					i++
				}
				if i < len(raw) && escaped(raw[i]) {
					i++
				}
				continue
			}
			i++
			continue
		}
		begin, digit := i, false
		for i < len(raw) && inWord[raw[i]] {
			digit = digit || raw[i] <= '9' && raw[i] >= '0'
			i++
		}
		if digit && i-begin >= minWord && i-begin <= maxWord {
			word(raw[begin:i])
		}
	}
}

// escaped reports whether a letter behind a backslash belongs to it.
func escaped(c byte) bool { return c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f' }

func hasDigit(word []byte) bool {
	for _, c := range word {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}
