// Package lists has helpers for slices. It must not know what is in them.
package lists

import "slices"

// Map returns what a function makes of each element, nil for an empty list.
func Map[T, U any](list []T, f func(T) U) (out []U) {
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

// Find returns the first element that a function accepts.
func Find[T any](list []T, accepts func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, accepts); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Filter returns the elements that a function accepts, nil if there are none.
func Filter[T any](list []T, accepts func(T) bool) (some []T) {
	for _, v := range list {
		if accepts(v) {
			some = append(some, v)
		}
	}
	return some
}

// few is the size of a list up to which a search takes less than a map.
const few = 16

// AddUnique appends the strings that are not empty and not in the list yet.
func AddUnique(list []string, more ...string) []string {
	if len(list)+len(more) <= few {
		for _, s := range more {
			if s != "" && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		return list
	}
	known := make(map[string]bool, len(list)+len(more))
	for _, s := range list {
		known[s] = true
	}
	for _, s := range more {
		if s != "" && !known[s] {
			known[s] = true
			list = append(list, s)
		}
	}
	return list
}
