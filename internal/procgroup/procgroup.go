// Package procgroup ends programs with all that they have started, and nothing else. It must not know
// what a program is run for.
package procgroup
