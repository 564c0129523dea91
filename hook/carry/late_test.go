package carry

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// A refused value with nearly the signature of a stored one is a damaged copy, not a value of another session: its agent goes
// on as before, also back to an older value (the simulator's former seed 21000642).
func TestDamagedCopyIsRefused(t *testing.T) {
	_, signature := split(tokenOf("A/o/2"))
	payload, _ := split(tokenOf("A/x/2"))
	copied := map[string]string{"its payload is another": payload + "." + signature, "its signature, too": payload + ".0" + signature[1:]}
	if signature[0] == '0' {
		t.Fatal("the damage has no effect")
	}
	for name, damaged := range copied {
		t.Run(name, func(t *testing.T) {
			s := &conversation{t: t, rule: &rule}
			refuse := func() {
				s.n++
				After(&rule, &s.state, Call{ID: fmt.Sprint("refused", s.n), Tool: "get_workflow", Args: fmt.Appendf(nil, `{"session_token":%q}`, damaged)}, Result{Error: true})
			}
			s.play("start_session -> A/o/1\nnext_activity -> A/o/2")
			refuse()
			s.play("get_activity -> A/o/3 = A/o/2")
			refuse()
			s.play("next_activity A/o/1 -> A/o/11\nget_activity -> A/o/12 = A/o/11")
			refuse()
			s.play("get_activity -> A/o/13 = A/o/12")
		})
	}
}

// one is a server's session with its values, the oldest first.
func one(sid string, n int) (values []string) {
	for i := range n {
		values = append(values, minted{SID: sid, AID: "orchestrator", Seq: i + 1}.token("key"))
	}
	return values
}

const (
	sidA = "aaaaaaaa-1111-4111-8111-111111111111"
	sidB = "bbbbbbbb-2222-4222-8222-222222222222"
)

// opened is a state in which the main agent works with a session that has issued these values.
func opened(values []string) State {
	var s State
	for i, v := range values {
		call := Call{ID: fmt.Sprint("o", i), Tool: "get_activity", Args: []byte(`{}`)}
		if i == 0 {
			call.Tool = "start_session"
		} else {
			call.Args = fmt.Appendf(nil, `{"session_token":%q}`, values[i-1])
		}
		After(&rule, &s, call, Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, v)})
	}
	return s
}

// Of a placeholder in an opening call the workflow-server says nothing: it opens a session without a parent,
// or an empty one.
func TestPlaceholdersWhereASessionIsOpened(t *testing.T) {
	values := one(sidA, 3)
	newest := values[2]
	bound := opened(values)
	torn := opened(values)
	child := minted{SID: sidB, AID: "orchestrator", Seq: 1, PSID: sidA}.token("key")
	After(&rule, &torn, Call{ID: "c", Tool: "start_session", Args: fmt.Appendf(nil, `{"parent_session_token":%q}`, newest)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, child)})
	var none State
	for _, placeholder := range []string{
		"auto", "<session_token>", "{session_token}", "{{token}}", "${SESSION_TOKEN}", "[x]", "[session token]", "YOUR_SESSION_TOKEN",
		"your-session-token", "undefined", "N/A", "current", "null", "eyJhbG...", "eyJhbG…",
	} {
		for _, argument := range []string{"parent_session_token", "session_token"} {
			call := Call{Tool: "start_session", Args: fmt.Appendf(nil, `{"workflow_id":"w",%q:%q}`, argument, placeholder)}
			d := Before(&rule, &bound, call)
			if args, err := jsonraw.Object(d.Change.Args); err != nil || args.String(argument) != newest || args.String("workflow_id") != "w" {
				t.Errorf("%s %q: %s (%s), not filled in", argument, placeholder, d.Action, d.Why)
			}
			for name, s := range map[string]*State{"two are alive": &torn, "none is": &none} {
				d := Before(&rule, s, call)
				if d.Action != Denied || d.Why == "" || !strings.Contains(d.ModelNotice, argument) {
					t.Errorf("%s, %s %q: %s (%s; %s), not denied", name, argument, placeholder, d.Action, d.Why, d.ModelNotice)
				}
			}
		}
	}
	for _, args := range []string{`{"workflow_id":"w"}`, `{"parent_session_token":null}`, `{"parent_session_token":""}`, `{"session_token":""}`} {
		if d := Before(&rule, &bound, Call{Tool: "start_session", Args: []byte(args)}); d.Action != Left {
			t.Errorf("%s: %s (%s), want left alone", args, d.Action, d.Why)
		}
	}
	for _, ends := range []string{newest[:3] + "..." + newest[len(newest)-4:], newest[:8] + "[…]" + newest[len(newest)-4:], "eyJ...9zzz"} {
		d := Before(&rule, &bound, Call{Tool: "start_session", Args: fmt.Appendf(nil, `{"session_token":%q}`, ends)})
		if d.Action != Denied || !strings.Contains(d.ModelNotice, "pass the whole session_token") {
			t.Errorf("%s, the two ends of a value: %s (%s; %s)", ends, d.Action, d.Why, d.ModelNotice)
		}
	}
}

// The workflow-server (main branch of 2026-05-13) begins an empty session where it cannot read the token, and
// says so with "recovered".
func TestALostSessionIsNotGoneOnWith(t *testing.T) {
	fresh := minted{SID: sidB, AID: "orchestrator", Seq: 1}.token("key")
	text := jsonraw.Quote(`{"session_token":"` + fresh + `","recovered":true}`)
	s := opened(one(sidA, 2))
	d := After(&rule, &s, Call{ID: "r", Tool: "start_session", Args: []byte(`{"session_token":"damaged"}`)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, fresh), Blocks: []Block{{Text: text}}})
	if d.Action != Captured || d.Why != SessionLost {
		t.Errorf("%s (%s)", d.Action, d.Why)
	}
	if d := Before(&rule, &s, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Action != Left {
		t.Errorf("the empty session's value was put in: %s (%s)", d.Action, d.Why)
	}
	var first State
	After(&rule, &first, Call{ID: "r", Tool: "start_session", Args: []byte(`{"session_token":"damaged"}`)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, fresh), Blocks: []Block{{Text: text}}})
	if d := Before(&rule, &first, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Action != Injected {
		t.Errorf("where there was no other session: %s (%s)", d.Action, d.Why)
	}
}

func TestAnOlderValueIsSaidToBeOlder(t *testing.T) {
	values := one(sidA, 4)
	s := opened(values)
	const older = "session_token is already there, older than the newest"
	for i, want := range []string{older, older, older, "session_token is already there"} {
		d := Before(&rule, &s, Call{Tool: "get_activity", Args: fmt.Appendf(nil, `{"session_token":%q}`, values[i])})
		if d.Action != Left || d.Why != want {
			t.Errorf("value %d: %s (%s), want %s", i, d.Action, d.Why, want)
		}
	}
}
