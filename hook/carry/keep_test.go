package carry

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// A value that was found in a text does not keep that text in memory.
func TestValuesDoNotKeepTheirTexts(t *testing.T) {
	rule := Rule{Server: "s", Capture: Capture{From: []Source{{Kind: Text, Pattern: `(?m)^token: (\S+)$`}}, Tools: Tools{"*"}}}
	const size, calls = 4 << 20, 8
	var state State
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range calls {
		text := jsonraw.Quote(strings.Repeat("x", size) + fmt.Sprintf("\ntoken: %040d\n", i))
		d := After(&rule, &state, Call{Tool: "t", Args: []byte(`{}`)}, Result{Blocks: []Block{{Text: text}}})
		if d.Action != Captured {
			t.Fatalf("%d: %+v", i, d)
		}
	}
	if after := heap(); after > before+2*size {
		t.Errorf("%d MB are kept of %d values", (after-before)>>20, calls)
	}
	runtime.KeepAlive(state)
}
