// Command regexpinit compiles a regular expression before main.
package main

import (
	"os"
	"regexp"
)

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func main() {
	if word.MatchString(os.Args[0]) {
		os.Exit(1)
	}
}
