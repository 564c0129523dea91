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

// The model is told which sessions it can name, but no secret and none of another agent's.
func TestWhichSessionsItCanName(t *testing.T) {
	c := &conversation{t: t, rule: IndexServer()}
	c.play("start_session -> K7Q2ZD\ndispatch_child K7Q2ZD -> ZMOY3M\n@worker get_workflow MYP3TA -> MYP3TA")
	told := func(agent string) string {
		return Before(c.rule, &c.state, Call{Agent: agent, Tool: "next_activity", Args: []byte(`{}`)}).ModelNotice
	}
	if got := told(""); !strings.Contains(got, "(K7Q2ZD, ZMOY3M)") || strings.Contains(got, "MYP3TA") {
		t.Errorf("the main agent is told: %s", got)
	}
	if got := told("another"); got == "" || strings.Contains(got, "K7Q2ZD") {
		t.Errorf("an agent without calls is told: %s", got)
	}
	c.rule.Secret = true
	if got := told(""); got == "" || strings.Contains(got, "K7Q2ZD") {
		t.Errorf("of a secret it is told: %s", got)
	}
	c.rule.Secret, c.rule.Shape = false, ""
	if got := told(""); strings.Contains(got, "K7Q2ZD") {
		t.Errorf("of values in any form it is told: %s", got)
	}
}

// A child's parent that is left out is the agent's own session, if it is clear which one that is.
func TestParentLeftOut(t *testing.T) {
	c := &conversation{t: t, rule: IndexServer()}
	c.play("dispatch_child -> refused = -\nstart_session -> K7Q2ZD\nstart_session -> K7Q2ZD = -\ndispatch_child -> ZMOY3M = K7Q2ZD")
	call := Call{Tool: "dispatch_child", Args: []byte(`{}`)}
	if d := Before(c.rule, &c.state, call); d.Action != Left || !strings.Contains(d.ModelNotice, "several sessions are open") {
		t.Errorf("with two open sessions: %s, %s", d.Action, d.ModelNotice)
	}
	c.play("next_activity K7Q2ZD -> K7Q2ZD")
	call.Lacks = func(string) bool { return true }
	if d := Before(c.rule, &c.state, call); d.Action != Left {
		t.Errorf("of a server whose tool has no such argument: %s", d.Action)
	}
}

// idsRule is for a server whose sessions have ids that stay the same, as those of claude-code-mcp.
func idsRule() *Rule {
	return &Rule{
		Server: "s", Name: "ids", Shape: `^[0-9a-f-]{36}$`, Scope: "session",
		Capture: Capture{
			Tools: Tools{"*"}, Each: true, Key: []Source{{Kind: Self}},
			From: []Source{{Kind: JSON, Path: "id"}, {Kind: JSON, Path: "[].id"}, {Kind: JSON, Path: "[]"}},
		},
		Repair: []RepairRule{{Tools: Tools{"read"}, Arguments: []Path{"id"}}},
	}
}

const (
	firstID  = "0b2f6c1e-7a44-4f0e-9d53-1c8a5e9f3b27"
	slipOfID = "0b2f6c1e-7a44-4f0e-9d53-1c8a5e9f3b2f"
	otherID  = "d41f8a90-35bc-4c67-8e12-f6a07b9c5d3e"
)

func resultOf(json string) Result { return Result{Blocks: []Block{{Text: jsonraw.Quote(json)}}} }

// A server that goes on with whatever id it is given tells the damaged one back (LocalRouter's claude_say). It
// does not open a second session, and what is near the first one is repaired as before.
func TestWhatACallCarriesIsNotOfItsResult(t *testing.T) {
	for name, args := range map[string]string{
		"as it is":  `{"id":"` + slipOfID + `","message":"x"}`,
		"escaped":   `{"id":"\u0030` + slipOfID[1:] + `"}`,
		"elsewhere": `{"ids":[{"of":["` + slipOfID + `"]}]}`,
		"in JSON":   `{"config":"{\"of\":[\"\\u0030` + slipOfID[1:] + `\"]}"}`,
	} {
		rule, state := idsRule(), new(State)
		if d := After(rule, state, Call{Tool: "start", Args: []byte(`{}`)}, resultOf(`{"id":"`+firstID+`"}`)); d.Action != Captured {
			t.Fatalf("%s: %+v", name, d)
		}
		d := After(rule, state, Call{Tool: "say", Args: []byte(args)}, resultOf(`{"id":"`+slipOfID+`"}`))
		if d.Action != Left || d.Why != "the result repeats the value of the call" {
			t.Errorf("%s: %s %s", name, d.Action, d.Why)
		}
		d = Before(rule, state, Call{Tool: "read", Args: []byte(`{"id":"` + slipOfID + `"}`)})
		if d.Action != Repaired || d.Change.Value != firstID {
			t.Errorf("%s: then %s %s", name, d.Action, d.Why)
		}
	}
}

// One that was issued before stays known, and another one that the server lists is new.
func TestWhatACallCarriesMayBeKnown(t *testing.T) {
	rule, state := idsRule(), new(State)
	args := []byte(`{"id":"` + firstID + `"}`)
	After(rule, state, Call{Tool: "start", Args: []byte(`{}`)}, resultOf(`{"id":"`+firstID+`"}`))
	if d := After(rule, state, Call{Tool: "say", Args: args}, resultOf(`{"id":"`+firstID+`"}`)); d.Why != "already stored" {
		t.Errorf("a known one: %s %s", d.Action, d.Why)
	}
	if d := After(rule, state, Call{Tool: "fork", Args: args}, resultOf(`{"id":"`+otherID+`"}`)); d.Action != Captured || d.Value != otherID {
		t.Errorf("a fork: %s %s", d.Action, d.Why)
	}
	if n := len(state.values("s")); n != 2 {
		t.Errorf("%d values are known", n)
	}
}

// A result may be an array as a whole (Clawed Abode's list_sessions).
func TestAResultThatIsAnArray(t *testing.T) {
	for _, list := range []string{
		`[{"id":"` + firstID + `","name":"a"},{"name":"no id"},{"id":"` + otherID + `"}]`,
		` [ "` + firstID + `" , 1, "` + otherID + `" ] `,
	} {
		rule, state := idsRule(), new(State)
		if d := After(rule, state, Call{Tool: "list", Args: []byte(`{}`)}, resultOf(list)); d.Action != Captured {
			t.Errorf("%s: %s %s", list, d.Action, d.Why)
		}
		for _, id := range []string{firstID, otherID} {
			if d := Before(rule, state, Call{Tool: "read", Args: []byte(`{"id":"` + id[:9] + id[10:] + `"}`)}); d.Change.Value != id {
				t.Errorf("%s: %s %s", list, d.Action, d.Why)
			}
		}
	}
	if d := After(idsRule(), new(State), Call{Tool: "list"}, resultOf(`{"sessions":[{"id":"`+firstID+`"}]}`)); d.Action != Left {
		t.Errorf("an object is taken for an array: %s", d.Action)
	}
}

// Claude Code shows hooks structured content in the text's place, and others the text alone: a rule that names the
// text need not name both.
func TestStructuredContentInTheTextsPlace(t *testing.T) {
	rule := idsRule()
	rule.Capture.Key = []Source{{Kind: JSON, Path: "of"}}
	only := []byte(`{"id":"` + firstID + `","of":"a"}`)
	if d := After(rule, new(State), Call{Tool: "start", Args: []byte(`{}`)}, Result{Structured: only}); d.Action != Captured || d.Value != firstID {
		t.Errorf("structured content alone: %s %s", d.Action, d.Why)
	}
	r := resultOf(`{"of":"a"}`)
	r.Structured = only
	if d := After(rule, new(State), Call{Tool: "start", Args: []byte(`{}`)}, r); d.Action != Left {
		t.Errorf("next to a text: %s", d.Action)
	}
}
