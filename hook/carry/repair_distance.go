package carry

// maxApart bounds every distance that is asked for, and so the time it takes.
const maxApart = 64

// Apart returns the edit distance of a and b, insertions, deletions and replacements counted alike,
// or limit+1 if it is more than limit. It follows the furthest point that each diagonal reaches with
// so many edits (Ukkonen 1985): of two long strings it looks at no more than a strip around the
// diagonal, and where they are alike it only compares them.
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
	end := len(b) - len(a) // the diagonal on which both end
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

// sameHead returns how many bytes a and b begin with in common.
func sameHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sameTail returns how many bytes a and b end with in common.
func sameTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
