package edit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// Masking a file of megabytes takes some dozen times as long as reading it once, and not quadratic time.
func TestMaskOfBigFile(t *testing.T) {
	history := make([]string, 8000)
	for i := range history {
		history[i] = fmt.Sprintf("%d: set the token: see --api-key and https://h/?key=%d, ", i, i) + strings.Repeat("some history ", 40)
	}
	content, err := json.MarshalIndent(map[string]any{"history": history}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := decode(content); err != nil {
		t.Fatal(err)
	}
	once := time.Since(start)
	start = time.Now()
	shown, _ := Mask(setup.JSON, content, content)
	if took := time.Since(start); took > 200*once || strings.Contains(string(shown), "?key=7999") {
		t.Errorf("%d bytes: %v to read, %v to mask", len(content), once, took)
	} else {
		t.Logf("%d bytes: %v to read, %v to mask", len(content), once, took)
	}
}
