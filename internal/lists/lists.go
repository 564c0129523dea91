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

// AddUnique appends what is not the zero value and not in the list yet.
func AddUnique[T comparable](list []T, more ...T) []T {
	var zero T
	known := map[T]bool{zero: true}
	for _, v := range list {
		known[v] = true
	}
	for _, v := range more {
		if !known[v] {
			known[v] = true
			list = append(list, v)
		}
	}
	return list
}

// Each calls a function with each element until it returns an error.
func Each[T any](list []T, do func(T) error) error {
	for _, v := range list {
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}
