package carry

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

const (
	uuidA = "5a1f0c3e-7d24-4b9a-8c61-0f2e9d7b4a10"
	uuidB = "c9d2e8f7-13b6-4e05-a7f8-6b5c4d3e2f1a"
)

// Every kind of repair and every rule of hands-off, one at a time.
func TestRepair(t *testing.T) {
	w := newWorld(1)
	a, b := w.candidates[0].Value, w.candidates[9].Value
	body, signature, _ := strings.Cut(a, ".")
	signed, opens := Mode{Signed: true}, Mode{Signed: true, Session: "sid"}
	byDistance := Mode{}
	uuids := []Candidate{{Value: uuidA, Key: "one"}, {Value: uuidB, Key: "two"}}
	near := append([]Candidate{{Value: "6" + uuidA[1:]}}, uuids...)
	short := []Candidate{{Value: "TJ6CQK"}}

	for _, c := range []struct {
		name       string
		supplied   string
		candidates []Candidate
		mode       Mode
		did        Action
		value      string
	}{
		{"equal", a, w.candidates, signed, Left, ""},
		{"nothing stored", a + "x", nil, opens, Left, ""},
		{"a placeholder", "<session_token>", w.candidates, opens, Left, ""},
		{"empty", "", w.candidates, opens, Left, ""},
		{"too long", a + strings.Repeat(" ", maxSupplied), w.candidates, signed, Left, ""},
		{"in angle brackets", "<" + a + ">", w.candidates, signed, Repaired, a},
		{"no signature", body, w.candidates, signed, Repaired, a},
		{"another signature", body + "." + strings.Repeat("0", 64), w.candidates, signed, Repaired, a},
		{"no body", "." + signature, w.candidates, signed, Left, ""},
		{"no body, opening", "." + signature, w.candidates, opens, Left, ""},
		{"mixed", body + b[strings.IndexByte(b, '.'):], w.candidates, signed, Left, ""},
		{"mixed, opening", body + b[strings.IndexByte(b, '.'):], w.candidates, opens, Denied, ""},
		{"head only, opening", a[:len(a)-90], w.candidates, opens, Denied, ""},
		{"head only", a[:len(a)-90], w.candidates, signed, Left, ""},
		{"good and unseen, opening", w.unseen[0], w.candidates, opens, Left, ""},
		{"good and quoted, unseen, opening", `"` + w.unseen[0] + `"`, w.candidates, opens, Denied, ""},
		{"twice in the list", a + "x", append(w.candidates, w.candidates...), signed, Repaired, a},
		{"not signed", uuidA + "x", uuids, signed, Left, ""},

		{"near", uuidA[1:], uuids, byDistance, Repaired, uuidA},
		{"near, known twice", uuidA[1:], append(uuids, uuids...), byDistance, Repaired, uuidA},
		{"two places", "x" + uuidA + "x", uuids, byDistance, Repaired, uuidA},
		{"three places", "xx" + uuidA + "x", uuids, byDistance, Left, ""},
		{"two near ones", uuidA[1:], near, byDistance, Left, ""},
		{"too short to tell", "TJ6CQX", short, byDistance, Left, ""},
		{"short, quoted", "`TJ6CQK`", short, byDistance, Repaired, "TJ6CQK"},
		{"a temporary id", "temp_1795187971", uuids, byDistance, Left, ""},

		{"by key: equal", uuidB, uuids, Mode{Keyed: true, Key: "two"}, Left, ""},
		{"by key: another's", uuidA, uuids, Mode{Keyed: true, Key: "two"}, Repaired, uuidB},
		{"by key: unknown", uuidA + "x", uuids, Mode{Keyed: true, Key: "three"}, Left, ""},
		{"by key: none", uuidA + "x", uuids, Mode{Keyed: true}, Left, ""},
		{"by key: a placeholder", "auto", uuids, Mode{Keyed: true, Key: "two"}, Left, ""},
	} {
		d := Repair(c.supplied, c.candidates, c.mode)
		if d.Action != c.did || d.Value != c.value || d.Why == "" {
			t.Errorf("%s: %s (%s), the right value %t, want %s", c.name, d.Action, d.Why, d.Value == c.value, c.did)
		}
	}
}

func TestLook(t *testing.T) {
	m := minted{WF: "meta", Seq: 7, SID: uuidA, AID: "orchestrator", PSID: uuidB}
	in, ok := Decode(m.token("key"))
	seq, isNumber := in.Number("seq")
	if !ok || in.Text("sid") != uuidA || in.Text("psid") != uuidB || seq != 7 || !isNumber || len(in.Signature) != 64 {
		t.Errorf("read as of session %q, signed %s", in.Text("sid"), in.Signature)
	}
	if _, ok := in.Number("sid"); ok || in.Text("seq") != "" || in.Text("none") != "" {
		t.Error("a member is read as what it is not")
	}
	for _, value := range []string{"", ".", uuidA, "e30", "e30.short", "W10." + strings.Repeat("0", 64), "!." + strings.Repeat("0", 64)} {
		if _, ok := Decode(value); ok {
			t.Errorf("%q is read", value)
		}
	}
}

func TestHandsOff(t *testing.T) {
	for _, c := range []struct {
		tool, argument, args string
		off                  bool
	}{
		{"start_session", "session_token", `{}`, false},
		{"respond_checkpoint", "checkpoint_handle", `{"option_id":"proceed"}`, false},
		{"respond_checkpoint", "option_id", `{}`, true},
		{"claude_code_reply", "diskResumeConfig.resumeToken", `{}`, false},
		{"claude_code_check", "sessionId", `{"action":"poll"}`, false},
		{"claude_code_check", "requestId", `{"action":"respond_permission"}`, true},
		{"claude_code_check", "cursor", `{}`, true},
		{"claude_code_session", "sessionId", `{"action":"cancel"}`, true},
		{"claude_code_session", "sessionId", `{"action":"get"}`, false},
		{"get_messages", "afterMessageId", `{}`, true},
		{"loopback.respond", "approval_id", ``, true},
		{"interrupt_session", "sessionId", `not JSON`, true},
		{"deleteSession", "sessionId", `{}`, true},
		{"claude_respond", "inputId", `{}`, true},
		{"claude_status", "sessionId", `{}`, false},
		{"MCPDelete", "session", ``, true},
		{"HTTPKillSession", "session", ``, true},
		{"DBDropTable", "session", ``, true},
		{"get", "sessionID", ``, false},
		{"get", "URLs", ``, false},
	} {
		if why := HandsOff(c.tool, c.argument, []byte(c.args)); (why != "") != c.off {
			t.Errorf("%s of %s(%s): %q, want hands off: %t", c.argument, c.tool, c.args, why, c.off)
		}
	}
}

// Whatever is supplied, a value comes out only if it went in, and nothing of any is in the reason.
func FuzzRepair(f *testing.F) {
	w := newWorld(2)
	for _, c := range w.candidates {
		f.Add(c.Value[3:], "")
		f.Add(`"`+c.Value, "sid")
		f.Add(c.Value[:len(c.Value)-90], "sid")
	}
	f.Fuzz(func(t *testing.T, supplied, session string) {
		for _, mode := range []Mode{{Signed: true, Session: session}, {Session: session}, {Keyed: true, Session: session}} {
			d := Repair(supplied, w.candidates, mode)
			known := false
			for _, c := range w.candidates {
				known = known || c.Value == d.Value
			}
			if (d.Action == Repaired) != known || d.Action == Repaired && d.Value == supplied {
				t.Errorf("%s of a value that is stored: %t", d.Action, known)
			}
			if len(d.Why) > 100 || len(supplied) > 20 && strings.Contains(d.Why, supplied) {
				t.Errorf("the reason is %q", d.Why)
			}
		}
	})
}

// TestRecorded replays what a workflow-server of 2026-05-13 received and returned, good and
// damaged: testdata/recorded.jsonl, in the order of the calls.
func TestRecorded(t *testing.T) {
	raw, err := os.ReadFile("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var issued []Candidate
	damaged := 0
	for line := range bytes.Lines(raw) {
		var r struct{ Name, Tool, Supplied, Of, Issued string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Issued != "" {
			issued = append([]Candidate{{Value: r.Issued}}, issued...)
			continue
		}
		mode := Mode{Signed: true}
		if r.Tool == "start_session" {
			mode.Session = "sid"
		}
		d := Repair(r.Supplied, issued[:min(8, len(issued))], mode)
		want := Left
		if r.Of != "" {
			want = Repaired
			damaged++
		}
		if d.Action != want || d.Value != r.Of {
			t.Errorf("%s: %s (%s), the right value %t, want %s", r.Name, d.Action, d.Why, d.Value == r.Of, want)
		}
	}
	if damaged < 13 {
		t.Errorf("only %d damaged values in the recording", damaged)
	}
}

// Values made to be hard: the limits that hold where two signatures are nearer than a good server's.
func TestRepairLimits(t *testing.T) {
	body := minted{Act: strings.Repeat("plan", 300), SID: uuidA, AID: "a"}.token("key")
	body = body[:len(body)-64]
	hexes := func(seed uint64, n int) string {
		r := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdef"[r.IntN(16)]
		}
		return string(b)
	}
	value := func(signature string) []Candidate { return []Candidate{{Value: body + signature}} }
	slipped := body[:30] + "x" + body[31:]
	mode := Mode{Signed: true}

	if d := Repair(slipped+hexes(2, 32), value(hexes(1, 32)), mode); d.Action != Left {
		t.Errorf("a long value with a short signature of its own: %s (%s)", d.Action, d.Why)
	}
	long := value(hexes(1, 64))
	if d := Repair(body[:200]+body[232:]+hexes(1, 64), long, mode); d.Action != Repaired {
		t.Errorf("32 characters lost from a long value: %s (%s)", d.Action, d.Why)
	}
	if d := Repair(body[:200]+body[240:]+hexes(1, 64), long, mode); d.Action != Left {
		t.Errorf("40 characters lost from a long value: %s (%s)", d.Action, d.Why)
	}
	if d := Repair(slipped+hexes(2, 32), append(value(hexes(1, 32)), long...), mode); d.Action != Left {
		t.Errorf("the same, and a value signed at more length: %s (%s)", d.Action, d.Why)
	}
	alike := append(value("01234567012345"+hexes(1, 50)), value("89abcdef89abcd"+hexes(1, 50))...)
	if d := Repair(slipped+"012345670123450"+hexes(1, 50), alike, mode); d.Action != Left {
		t.Errorf("two stored values alike: %s (%s)", d.Action, d.Why)
	}

	one, two := minted{Seq: 1, SID: uuidA, AID: "a", PSID: uuidB}, minted{Seq: 2, SID: uuidA, AID: "a", PSID: uuidB}
	between := minted{Seq: 33, SID: uuidA, AID: "a", PSID: uuidB}.token("key")
	stored := []Candidate{{Value: two.token("key")}, {Value: one.token("key")}}
	d := Repair(between[:len(between)-64]+stored[1].Value[len(stored[1].Value)-64:], stored, mode)
	if d.Action != Left {
		t.Errorf("as near to what one value says as to what another does: %s (%s)", d.Action, d.Why)
	}

	unseen := minted{Seq: 3, TS: 1, Act: "later", SID: uuidA, AID: "a", PSID: uuidB}
	opens := Mode{Signed: true, Session: "sid"}
	if d := Repair(unseen.token("key"), stored, opens); d.Action != Left {
		t.Errorf("good and unseen: %s (%s)", d.Action, d.Why)
	}
	unseen.PSID = uuidB[:9] + "7f" + uuidB[9:]
	if d := Repair(unseen.token("key"), stored, opens); d.Action != Denied {
		t.Errorf("unseen, and its parent's id damaged: %s (%s)", d.Action, d.Why)
	}
}

// levenshtein is the definition, written as in every textbook.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	word := func(letters, most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = 'a' + byte(r.IntN(letters))
		}
		return string(b)
	}
	within := 0
	for range 20_000 {
		letters, limit := 1+r.IntN(5), r.IntN(maxApart+1)
		a, b := word(letters, 40), word(letters, 40)
		if r.IntN(2) == 0 { // near ones, too
			b = a
			for range r.IntN(6) {
				at := r.IntN(len(b) + 1)
				b = b[:at] + word(letters, 2) + b[min(len(b), at+r.IntN(3)):]
			}
		}
		want := levenshtein(a, b)
		if want > limit {
			want = limit + 1
		} else {
			within++
		}
		if got := apart(a, b, limit); got != want {
			t.Fatalf("apart(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
		if got := apart([]byte(b), []byte(a), limit); got != want {
			t.Fatalf("apart(%q, %q, %d) = %d, want %d", b, a, limit, got, want)
		}
	}
	if within < 5000 {
		t.Errorf("only %d of the pairs were within the limit", within)
	}
}
