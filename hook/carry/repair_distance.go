package carry

// maxApart bounds every distance, and so the time to compute it.
const maxApart = 64

// Apart returns the edit distance of a and b, insertions, deletions and replacements counted alike,
// or limit+1 if it is more than limit. For each number of edits it computes the furthest point that each
// diagonal reaches (Ukkonen 1985), so the time depends on the limit more than on the lengths.
func Apart[T string | []byte](a, b T, limit int) int {
	limit = min(limit, maxApart)
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	const unreached = -1 << 30
	var rows [2][2*maxApart + 3]int // the point on diagonal k is at k+origin
	const origin = maxApart + 1
	for i := range rows {
		for k := range rows[i] {
			rows[i][k] = unreached
		}
	}
	end := len(b) - len(a) // the diagonal of the two ends
	for edits := 0; edits <= limit; edits++ {
		was, now := &rows[(edits+1)&1], &rows[edits&1]
		for k := -edits; k <= edits; k++ {
			at := max(was[origin+k]+1, was[origin+k-1], was[origin+k+1]+1)
			if edits == 0 {
				at = 0
			}
			at = min(at, len(a), len(b)-k)
			if at >= 0 && at+k >= 0 {
				for at < len(a) && at+k < len(b) && a[at] == b[at+k] {
					at++
				}
			}
			now[origin+k] = at
		}
		if now[origin+end] >= len(a) {
			return edits
		}
	}
	return limit + 1
}

func sameHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func sameTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
