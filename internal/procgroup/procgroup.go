// Package procgroup ends a program together with all processes that it has started, and no others.
//
// It must not know what the program is for.
package procgroup
