// Command slowinit does work before main, which wsi must not do. A test of archtest runs it. It must not import
// anything of wsi.
package main

import "time"

func init() {
	for start := time.Now(); time.Since(start) < 2*time.Millisecond; {
	}
}

func main() {}
