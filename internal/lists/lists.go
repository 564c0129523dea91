// Package lists has helpers for slices of strings. It must not know what the strings are.
package lists

import "slices"

// AddUnique appends the strings that are not empty and not in the list yet.
func AddUnique(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
