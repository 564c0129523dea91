// Program slowinit does what wsi must not: it works before main.
package main

import "time"

func init() {
	for start := time.Now(); time.Since(start) < 2*time.Millisecond; {
	}
}

func main() {}
