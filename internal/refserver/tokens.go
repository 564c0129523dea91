package refserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The arguments that belong to a session: the token of the one generation, and the index of the other.
const (
	Argument = "session_token"
	Index    = "session_index"
)

// Payload is the content of a workflow-server token. The fields are in the order of recorded tokens (2026-05-13).
type Payload struct {
	WF    string  `json:"wf"`
	Act   string  `json:"act"`
	Skill string  `json:"skill"`
	Cond  string  `json:"cond"`
	V     string  `json:"v"`
	Seq   int     `json:"seq"`
	TS    int64   `json:"ts"`
	SID   string  `json:"sid"`
	AID   string  `json:"aid"`
	PSID  string  `json:"psid,omitempty"`
	PWF   string  `json:"pwf,omitempty"`
	PAct  *string `json:"pact,omitempty"` // present but empty if the parent has no activity
	PV    string  `json:"pv,omitempty"`
	BCP   string  `json:"bcp,omitempty"`
}

// Seal returns a token: base64url(JSON), a dot, and the signature.
func Seal(key []byte, content any) string {
	raw, err := json.Marshal(content)
	if err != nil {
		panic(err) // strings and numbers
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return body + "." + Sign(key, body)
}

// Sign returns the hexadecimal HMAC-SHA256 of a token's first part.
func Sign(key []byte, body string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// decode decodes the content of a token without checking its signature.
func decode(token string, content any) error {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err == nil {
		err = json.Unmarshal(raw, content)
	}
	return err
}

// NewID returns a random UUID. Reading from random must not fail.
func NewID(random io.Reader) string {
	b := make([]byte, 16)
	_, _ = io.ReadFull(random, b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// event is a call in a trace. The names are those of the workflow-server, in both generations.
type event struct {
	TraceID string   `json:"traceId"` // the session_index, or the sid of the tokens
	SpanID  string   `json:"spanId"`
	Name    string   `json:"name"` // of the tool
	TS      int64    `json:"ts"`
	MS      int64    `json:"ms"`
	S       string   `json:"s"` // ok, error
	WF      string   `json:"wf"`
	Act     string   `json:"act"`
	AID     string   `json:"aid"`
	Err     string   `json:"err,omitempty"`
	VW      []string `json:"vw,omitempty"` // the warnings, without their notices: get_trace shows them to the model
}

// memoryTrace is what one process remembers of a session. It is not in the state, so a restart empties it.
type memoryTrace struct {
	events []event
	sent   int // how many are in trace tokens
}

// record adds a call to the memory trace of its session. A trace token has it with the next next_activity.
func (s *Server) record(e event, a answer) {
	if e.SpanID, e.TS, e.S = NewID(rand.Reader), time.Now().Unix(), "ok"; a.failed {
		e.S, e.Err = "error", a.text
	}
	m := s.traces[e.TraceID]
	m.events = append(m.events, e)
	s.traces[e.TraceID] = m
}

// traceToken issues a token with the events of a session since the last one. It returns "" if there are none.
func (s *Server) traceToken(st *state, session, activity string) string {
	m := s.traces[session]
	from, to := m.sent, len(m.events)
	if from == to {
		return ""
	}
	m.sent = to
	s.traces[session] = m
	token := Seal(st.Key, object{
		{"sid", session},
		{"act", activity},
		{"from", from},
		{"to", to},
		{"n", to - from},
		{"t0", m.events[from].TS},
		{"t1", m.events[to-1].TS},
		{"ts", time.Now().Unix()},
		{"events", m.events[from:]},
	})
	if st.Traces == nil {
		st.Traces = map[string][]string{}
	}
	st.Traces[session] = append(st.Traces[session], token)
	return token
}

// trace answers get_trace: from tokens if there are any, like the workflow-server also from those of other sessions.
func (v *visit) trace() answer {
	var tokens []string
	session := v.session.Index
	if raw := v.args.Get("trace_tokens"); raw != nil && (!bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &tokens) != nil) {
		return invalid("get_trace", "trace_tokens: Expected array of strings")
	}
	v.call.Trace = v.st.tally(session, tokens)
	fields := object{{"traceId", session}, {"source", "memory"}, {"tracing_enabled", true}}
	events := slices.Clone(v.server.traces[session].events)
	if len(tokens) > 0 {
		fields, events = object{{"traceId", session}, {"source", "tokens"}}, nil
	}
	var wrong []string
	for _, token := range tokens {
		content, why := v.st.unseal(token)
		if why != "" {
			wrong = append(wrong, "Invalid trace token: "+why)
		}
		events = append(events, content...)
	}
	if agent := v.args.String("agent_id"); agent != "" {
		events = slices.DeleteFunc(events, func(e event) bool { return e.AID != agent })
	}
	fields = append(fields, field{"event_count", len(events)}, field{"events", append([]event{}, events...)})
	if wrong != nil {
		fields = append(fields, field{"token_errors", wrong})
	}
	return answer{fields: fields}
}

// unseal returns the events of a token with this server's signature, or what is wrong with the token.
func (st *state) unseal(token string) (events []event, wrong string) {
	body, signature, signed := strings.Cut(token, ".")
	if !signed {
		return nil, "it has no signature"
	}
	if !hmac.Equal([]byte(signature), []byte(Sign(st.Key, body))) {
		return nil, "its signature is not this server's"
	}
	var content struct{ Events []event }
	if err := decode(token, &content); err != nil {
		return nil, err.Error()
	}
	return content.Events, ""
}

// Traced counts the trace tokens that arrived with a get_trace.
type Traced struct {
	Tokens  int  `json:"tokens"`            // all
	Own     int  `json:"own,omitempty"`     // of the session of the call
	Foreign int  `json:"foreign,omitempty"` // of other sessions
	Unknown int  `json:"unknown,omitempty"` // never issued
	Missing int  `json:"missing,omitempty"` // of the session, which did not arrive
	All     bool `json:"all"`               // the session's are complete, in the order of issue, and each came once
}

func (st *state) tally(session string, tokens []string) *Traced {
	var own []string
	issued := st.Traces[session]
	t := Traced{Tokens: len(tokens)}
	for _, token := range tokens {
		switch {
		case slices.Contains(issued, token):
			own = append(own, token)
		case slices.Contains(st.issued(), token):
			t.Foreign++
		default:
			t.Unknown++
		}
	}
	t.Own, t.All = len(own), slices.Equal(own, issued)
	for _, token := range issued {
		if !slices.Contains(own, token) {
			t.Missing++
		}
	}
	return &t
}
