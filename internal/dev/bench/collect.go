package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"wsi/harnesses"
)

// The largest call that is measured: it takes so many values of so many bytes.
const (
	manyValues = 500
	longValue  = 4 << 10
	// maxGather is how much CPU time such a call may take. Reading 2 MB and writing it again takes 15 ms.
	maxGather = 100 * time.Millisecond
)

// gather measures a call that takes all values which a rule has kept, and prints whether the target is met.
func gather(p program) (missed int, err error) {
	for n := range manyValues {
		p.capture(kept(n))
	}
	call := event("PreToolUse", session, "get_trace", `{"session_index":"K7Q2ZD","trace_tokens":[]}`, "")
	var all samples
	for range rounds / 10 {
		cost, answer, err := p.run(harnesses.Inject, call)
		if err != nil {
			return 0, err
		}
		var a struct {
			HookSpecificOutput struct {
				UpdatedInput struct {
					Tokens []string `json:"trace_tokens"`
				}
			}
		}
		if err := json.Unmarshal(answer, &a); err != nil {
			return 0, fmt.Errorf("%s did not answer: %w", p.name, err)
		}
		if n := len(a.HookSpecificOutput.UpdatedInput.Tokens); n != manyValues {
			return 0, fmt.Errorf("%s put %d of %d values into the call", p.name, n, manyValues)
		}
		all = append(all, cost)
	}
	word := "PASS"
	if all.median() > maxGather {
		word, missed = "FAIL", 1
	}
	fmt.Printf("\ninject, %d kept values of %d KB\n  %s  %.1f ms, at most %.0f ms\n", manyValues, longValue>>10, word, ms(all.median()), ms(maxGather))
	return missed, nil
}

// kept returns an event with the n-th trace token of a session. It has the whole result, also in tool_response, so that no
// transcript is needed.
func kept(n int) []byte {
	payload := fmt.Sprintf(`{"sid":"K7Q2ZD","from":%d,"pad":%q}`, n, strings.Repeat("x", longValue*3/4-140))
	value := base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + strings.Repeat("0f", 32)
	return event("PostToolUse", session, "next_activity", `{"session_index":"K7Q2ZD"}`, fmt.Sprintf(`,"tool_response":{"content":[],"_meta":{"session_index":"K7Q2ZD","trace_token":%q}}`, value))
}
