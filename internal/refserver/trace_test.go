package refserver

import (
	"encoding/json"
	"testing"
)

// The generation with a token has trace tokens, too: by session, whichever agent of it asks, and not those of another.
func TestTraceOfTokens(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	other := call(t, s, "start_session", `{}`)
	foreign := call(t, s, "next_activity", `{"activity_id":"design","session_token":"`+other.token()+`"}`).trace()
	a := call(t, s, "start_session", `{"agent_id":"main"}`)
	var own []string
	for _, activity := range []string{"design", "build"} {
		a = call(t, s, "next_activity", `{"activity_id":"`+activity+`","session_token":"`+a.token()+`"}`)
		own = append(own, a.trace())
	}
	for _, c := range []struct {
		tokens, source string
		events         int
		want           Traced
	}{
		{``, "memory", 3, Traced{Missing: 2}},
		{`,"trace_tokens":` + list(own...), "tokens", 2, Traced{Tokens: 2, Own: 2, All: true}},
		{`,"trace_tokens":` + list(own[1], own[0]), "tokens", 2, Traced{Tokens: 2, Own: 2}},
		{`,"trace_tokens":` + list(own[0], foreign), "tokens", 2, Traced{Tokens: 2, Own: 1, Foreign: 1, Missing: 1}},
	} {
		a = call(t, s, "get_trace", `{"session_token":"`+a.token()+`"`+c.tokens+`}`)
		var said struct {
			Source string
			Count  int `json:"event_count"`
		}
		if err := json.Unmarshal([]byte(a.Content[0]["text"].(string)), &said); err != nil {
			t.Fatal(err)
		}
		if got := last(t, s).Trace; said.Source != c.source || said.Count != c.events || got == nil || *got != c.want {
			t.Errorf("%+v, %+v; want %+v", said, got, c)
		}
	}
	worker := call(t, s, "start_session", `{"agent_id":"worker","session_token":"`+a.token()+`"}`)
	call(t, s, "get_trace", `{"session_token":"`+worker.token()+`","trace_tokens":`+list(own...)+`}`)
	if got := last(t, s).Trace; got == nil || !got.All {
		t.Errorf("another agent of the session: %+v", got)
	}
}
