package carry

import (
	"math/rand/v2"
	"testing"
)

// levenshtein is the definition, written as in every textbook.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	word := func(letters, most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = 'a' + byte(r.IntN(letters))
		}
		return string(b)
	}
	within := 0
	for range 20_000 {
		letters, limit := 1+r.IntN(5), r.IntN(maxApart+1)
		a, b := word(letters, 40), word(letters, 40)
		if r.IntN(2) == 0 { // near ones, too
			b = a
			for range r.IntN(6) {
				at := r.IntN(len(b) + 1)
				b = b[:at] + word(letters, 2) + b[min(len(b), at+r.IntN(3)):]
			}
		}
		want := levenshtein(a, b)
		if want > limit {
			want = limit + 1
		} else {
			within++
		}
		if got := apart(a, b, limit); got != want {
			t.Fatalf("apart(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
		if got := apart([]byte(b), []byte(a), limit); got != want {
			t.Fatalf("apart(%q, %q, %d) = %d, want %d", b, a, limit, got, want)
		}
	}
	if within < 5000 {
		t.Errorf("only %d of the pairs were within the limit", within)
	}
}
