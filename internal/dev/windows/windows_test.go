package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	const events = `{"Action":"run","Package":"wsi/a","Test":"TestX"}
{"Action":"output","Package":"wsi/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"wsi/a","Test":"TestX","Output":"    x_test.go:12: no links here\n"}
{"Action":"output","Package":"wsi/a","Test":"TestX","Output":"--- SKIP: TestX (0.00s)\n"}
{"Action":"skip","Package":"wsi/a","Test":"TestX","Elapsed":0}
{"Action":"output","Package":"wsi/a","Test":"TestS/script","Output":"    testscript.go:558: WORK=$WORK\n"}
{"Action":"output","Package":"wsi/a","Test":"TestS/script","Output":"        > [windows] skip 'no shell'\n"}
{"Action":"skip","Package":"wsi/a","Test":"TestS/script","Elapsed":0}
{"Action":"output","Package":"wsi/a","Test":"TestY","Output":"    y_test.go:1: wrong\n"}
{"Action":"fail","Package":"wsi/a","Test":"TestY","Elapsed":0}
{"Action":"pass","Package":"wsi/a","Test":"TestZ/sub","Elapsed":0}
{"Action":"output","Package":"wsi/a","Output":"FAIL\twsi/a\t0.1s\n"}
{"Action":"fail","Package":"wsi/a","Elapsed":0.1}
{"Action":"skip","Package":"wsi/b","Elapsed":0}
{"Action":"pass","Package":"wsi/d","Test":"TestA","Elapsed":0}
{"Action":"pass","Package":"wsi/d","Elapsed":0}
# wsi/c: not JSON
`
	var shown strings.Builder
	r, err := read(strings.NewReader(events), &shown)
	if err != nil {
		t.Fatal(err)
	}
	r.print(&shown)
	want := `    y_test.go:1: wrong
FAIL	wsi/a	0.1s
ok	wsi/d	1 passed, 0 skipped
# wsi/c: not JSON

skipped: no links here
         a.TestX
skipped: no shell
         a.TestS/script

2 packages, 2 tests passed, 1 failed, 2 skipped
`
	if diff := cmp.Diff(want, shown.String()); diff != "" {
		t.Error(diff)
	}
}
