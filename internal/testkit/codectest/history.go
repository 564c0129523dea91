package codectest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses"
)

// Steps returns the steps of a recording, one in each line, and why parts of it were skipped.
func Steps(t testing.TB, h harnesses.Harness, content string) (steps []string, skipped []string) {
	t.Helper()
	history := h.Capabilities.History
	if !history.Begins([]byte(content)[:min(len(content), 64<<10)]) {
		t.Error("the recording is not recognized")
	}
	err := history.Read(harnesses.Recording{File: strings.NewReader(content), Size: int64(len(content))}, func(s harnesses.Step) {
		steps = append(steps, stepText(s))
	}, func(why string) { skipped = append(skipped, why) })
	if err != nil {
		t.Fatal(err)
	}
	return steps, skipped
}

// stepText returns what a step says: its kind, its session and message, the call, and the texts.
func stepText(s harnesses.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", map[harnesses.StepKind]string{harnesses.Told: "told", harnesses.Said: "said", harnesses.Called: "called", harnesses.Returned: "returned", harnesses.Summarized: "compacted"}[s.Kind])
	for _, of := range []struct{ name, value string }{{"session", s.Session}, {"message", s.Message}, {"id", s.ID}, {"tool", strings.Trim(s.Server+"/"+s.Tool, "/")}, {"args", string(s.Args)}} {
		if of.value != "" {
			fmt.Fprintf(&b, " %s=%s", of.name, of.value)
		}
	}
	if s.Result.Error {
		b.WriteString(" failed")
	}
	if s.Result.Structured != nil {
		fmt.Fprintf(&b, " structured=%s", s.Result.Structured)
	}
	for _, block := range s.Result.Blocks {
		fmt.Fprintf(&b, " block=%s", block.Text)
	}
	if s.Kept != nil || s.KeptSince != "" {
		fmt.Fprintf(&b, " kept=%s since=%s", s.Kept, s.KeptSince)
	}
	if s.Kind != harnesses.Called {
		fmt.Fprintf(&b, " %s", bytes.Join(s.Texts, []byte(" + ")))
	}
	return b.String()
}

// FuzzHistory reads arbitrary bytes as a recording.
func FuzzHistory(f *testing.F, h harnesses.Harness, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	history := h.Capabilities.History
	f.Fuzz(func(t *testing.T, content []byte) {
		history.Begins(content)
		steps := 0
		_ = history.Read(harnesses.Recording{File: bytes.NewReader(content), Size: int64(len(content))}, func(s harnesses.Step) {
			steps++
			for _, text := range s.Texts {
				if len(text) > len(content) {
					t.Fatal("a text is longer than the recording")
				}
			}
			if s.Kind != harnesses.Called && s.Server != "" {
				t.Fatalf("a step of kind %d names the server %q", s.Kind, s.Server)
			}
		}, func(string) { steps++ })
		if steps > len(content) {
			t.Fatalf("%d steps in %d bytes", steps, len(content))
		}
	})
}
