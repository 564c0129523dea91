package carry

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// minted is what a token of the workflow-server says, in its order.
type minted struct {
	WF    string `json:"wf"`
	Act   string `json:"act"`
	Skill string `json:"skill"`
	Cond  string `json:"cond"`
	V     string `json:"v"`
	Seq   int    `json:"seq"`
	TS    int64  `json:"ts"`
	SID   string `json:"sid"`
	AID   string `json:"aid"`
	BCP   string `json:"bcp,omitempty"`
	PSID  string `json:"psid,omitempty"`
	PWF   string `json:"pwf,omitempty"`
	PAct  string `json:"pact,omitempty"`
	PV    string `json:"pv,omitempty"`
}

func (m minted) token(key string) string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return body + "." + hex.EncodeToString(mac.Sum(nil))
}

// world is a server with several sessions, of which one harness session has seen some values.
type world struct {
	*rand.Rand
	candidates []Candidate // the newest 8 of each chain, the newest first
	old        []string    // older ones of these chains
	unseen     []string    // newer ones of these chains, that no hook saw
	foreign    []string    // good ones of sessions that this harness session knows nothing of
}

func (w *world) uuid() string {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(w.Uint32())
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newWorld plays an orchestrator, the child session it opens, and two workers of the child's, one of
// which has taken the orchestrator's token as it was; and two sessions of another user.
func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 2026))}
	now := int64(1_795_187_971)
	meta := minted{WF: "meta", V: "1.0.0", TS: now, SID: w.uuid(), AID: "orchestrator"}
	child := minted{
		WF: "work-package", V: "2.4.0", TS: now + 3, SID: w.uuid(), AID: "workflow-orchestrator",
		PSID: meta.SID, PWF: "meta", PAct: "dispatch-client-workflow", PV: "1.0.0",
	}
	worker := child
	worker.AID, worker.Seq = "activity-worker", 2
	for _, m := range []minted{meta, child, worker} {
		values := w.chain(m, 20)
		w.old = append(w.old, values[:8]...)
		for i := 15; i >= 8; i-- {
			w.candidates = append(w.candidates, Candidate{Value: values[i]})
		}
		w.unseen = append(w.unseen, values[16:]...)
	}
	for range 2 {
		m := child
		m.SID, m.PSID = w.uuid(), w.uuid()
		w.foreign = append(w.foreign, w.chain(m, 20)...)
	}
	return w
}

func (w *world) chain(m minted, n int) []string {
	var values []string
	for i := range n {
		values = append(values, m.token("the server's key"))
		m.Seq++
		m.TS += int64(w.IntN(40))
		switch w.IntN(6) {
		case 0:
			m.Act = []string{"start", "research-and-analysis", "plan-prepare", "implement"}[w.IntN(4)]
		case 1:
			m.BCP = ""
			if i%2 == 0 {
				m.BCP = "confirm-scope"
			}
		}
	}
	return values
}

func (w *world) stored() string { return w.candidates[w.IntN(len(w.candidates))].Value }

func (w *world) one(of []string) string { return of[w.IntN(len(of))] }

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// slip mistypes one place.
func (w *world) slip(s string) string {
	at := w.IntN(len(s))
	c := s[at : at+1]
	for c == s[at:at+1] {
		c = string(base64url[w.IntN(64)])
		if at > len(s)-64 {
			c = string("0123456789abcdef"[w.IntN(16)])
		}
	}
	switch w.IntN(3) {
	case 0:
		return s[:at] + c + s[at+1:]
	case 1:
		return s[:at] + c + s[at:]
	}
	return s[:at] + s[at+1:]
}

func (w *world) slips(s string, n int) string {
	for range n {
		s = w.slip(s)
	}
	return s
}

// inside corrupts one of the UUIDs in what a token says, and writes that with the old signature.
func (w *world) inside(s string, corrupt func(uuid string) string) string {
	body, signature, _ := strings.Cut(s, ".")
	raw, _ := base64.RawURLEncoding.DecodeString(body)
	var m minted
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err)
	}
	id := m.SID
	if m.PSID != "" && w.IntN(2) == 0 {
		id = m.PSID
	}
	said := strings.Replace(string(raw), id, corrupt(id), 1)
	return base64.RawURLEncoding.EncodeToString([]byte(said)) + "." + signature
}

// two returns two stored values.
func (w *world) two() (a, b string) {
	for a, b = w.stored(), w.stored(); a == b; {
		b = w.stored()
	}
	return a, b
}

// kind is a way to come by a value that no server has issued, or that no hook has seen.
type kind struct {
	name string
	make func(w *world) (supplied, of string) // of is what it was made from, "" if it must stay as it is
	all  bool                                 // every one must be restored
	most int                                  // how many of a thousand may be left, if not all
}

func from(corrupt func(w *world, s string) string) func(w *world) (string, string) {
	return func(w *world) (string, string) {
		s := w.stored()
		return corrupt(w, s), s
	}
}

func stays(make func(w *world) string) func(w *world) (string, string) {
	return func(w *world) (string, string) { return make(w), "" }
}

var kinds = []kind{
	{name: "one slip", make: from(func(w *world, s string) string { return w.slip(s) }), all: true},
	{name: "two or three slips", make: from(func(w *world, s string) string { return w.slips(s, 2+w.IntN(2)) }), most: 10},
	{name: "twelve slips", make: from(func(w *world, s string) string { return w.slips(s, 12) }), most: 100},
	{name: "two characters swapped", make: from(func(w *world, s string) string {
		at := w.IntN(len(s) - 1)
		for s[at] == s[at+1] {
			at = w.IntN(len(s) - 1)
		}
		return s[:at] + s[at+1:at+2] + s[at:at+1] + s[at+2:]
	}), all: true},
	{name: "a run lost (4-12)", make: from(func(w *world, s string) string {
		n := 4 + w.IntN(9)
		at := w.IntN(len(s) - n)
		return s[:at] + s[at+n:]
	}), all: true},
	{name: "a run doubled (4-12)", make: from(func(w *world, s string) string {
		n := 4 + w.IntN(9)
		at := w.IntN(len(s) - n)
		return s[:at+n] + s[at:]
	}), all: true},
	{name: "two hex digits too many inside", make: from(func(w *world, s string) string {
		return w.inside(s, func(id string) string {
			at := w.IntN(len(id))
			return id[:at] + fmt.Sprintf("%02x", w.IntN(256)) + id[at:]
		})
	}), all: true},
	{name: "two hex digits too few inside", make: from(func(w *world, s string) string {
		return w.inside(s, func(id string) string { at := w.IntN(len(id) - 2); return id[:at] + id[at+2:] })
	}), all: true},
	{name: "a group of the UUID doubled inside", make: from(func(w *world, s string) string {
		return w.inside(s, func(id string) string { return id[:13] + id[8:] })
	}), all: true},
	{name: "tail cut off (1-40)", make: from(func(w *world, s string) string { return s[:len(s)-1-w.IntN(40)] }), all: true},
	{name: "the whole signature cut off", make: from(func(w *world, s string) string { return s[:len(s)-64-w.IntN(2)] }), all: true},
	{name: "tail cut off (66-140)", make: stays(func(w *world) string { s := w.stored(); return s[:len(s)-66-w.IntN(75)] })},
	{name: "head cut off (1-12)", make: from(func(w *world, s string) string { return s[1+w.IntN(12):] }), all: true},
	{name: "head cut off (13-40)", make: from(func(w *world, s string) string { return s[13+w.IntN(28):] }), most: 1000},
	{name: "the dot lost", make: from(func(_ *world, s string) string { return strings.Replace(s, ".", "", 1) }), all: true},
	{name: "the dot mistyped", make: from(func(w *world, s string) string {
		return strings.Replace(s, ".", w.one([]string{",", "-", "..", "x"}), 1)
	}), all: true},
	{name: "only spare bits differ", make: func(w *world) (string, string) {
		for {
			s := w.stored()
			at := strings.IndexByte(s, '.') - 1
			if at%4 != 3 { // else the last character says nothing but what it must
				return s[:at] + string(base64url[strings.IndexByte(base64url, s[at])^1]) + s[at+1:], s
			}
		}
	}, all: true},
	{name: "quoted", make: from(func(_ *world, s string) string { return `"` + s + `"` }), all: true},
	{name: "quoted twice", make: from(func(_ *world, s string) string { return `"\"` + s + `\""` }), all: true},
	{name: "in backticks", make: from(func(_ *world, s string) string { return "`" + s + "`" }), all: true},
	{name: "in angle brackets", make: from(func(_ *world, s string) string { return " <" + s + ">\n" }), all: true},
	{name: "in brackets and a full stop", make: from(func(_ *world, s string) string { return "[" + s + "]." }), all: true},
	{name: "in typographic quotes", make: from(func(_ *world, s string) string { return "“" + s + "”" }), all: true},
	{name: "on several lines", make: from(func(_ *world, s string) string {
		return s[:80] + "\n    " + s[80:160] + "\r\n    " + s[160:]
	}), all: true},
	{name: "one letter's case", make: from(func(w *world, s string) string {
		for at := w.IntN(len(s)); ; at = (at + 1) % len(s) {
			if c := s[at]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
				return s[:at] + string(c^0x20) + s[at+1:]
			}
		}
	}), all: true},
	{name: "the signature in capitals", make: from(func(_ *world, s string) string {
		body, signature, _ := strings.Cut(s, ".")
		return body + "." + strings.ToUpper(signature)
	}), all: true},
	{name: "all in small letters", make: stays(func(w *world) string { return strings.ToLower(w.stored()) })},
	{name: "abbreviated (…)", make: stays(func(w *world) string { s := w.stored(); return s[:8+w.IntN(100)] + "…" + s[len(s)-4:] })},
	{name: "abbreviated (...)", make: stays(func(w *world) string { s := w.stored(); return s[:8+w.IntN(100)] + "..." })},
	{name: "signature of another stored one", make: stays(func(w *world) string {
		a, b := w.two()
		return a[:len(a)-64] + b[len(b)-64:]
	})},
	{name: "head and tail of two stored ones", make: stays(func(w *world) string {
		for { // the head must be the first one's only, and the tail the second one's
			a, b := w.two()
			cut, tail := w.IntN(len(a)), 8+w.IntN(len(b)-8)
			if w.IntN(2) == 0 {
				tail = min(len(a)-cut, len(b))
			}
			if cut > sameHead(a, b)+3 && tail > sameTail(a, b)+7 {
				return a[:cut] + b[len(b)-tail:]
			}
		}
	})},
	{name: "mixed, and a slip", make: stays(func(w *world) string {
		a, b := w.two()
		return w.slip(a[:len(a)-64]) + b[len(b)-64:]
	})},
	{name: "mixed, and a slip in the signature", make: stays(func(w *world) string {
		a, b := w.two()
		at := len(b) - 1 - w.IntN(62)
		return a[:len(a)-64] + b[len(b)-64:at] + "x" + b[at+1:]
	})},
	{name: "an old one's head, a stored signature", make: stays(func(w *world) string {
		a, b := w.one(w.old), w.stored()
		return a[:len(a)-64] + b[len(b)-64:]
	})},
	{name: "an old one, with a slip", make: stays(func(w *world) string { return w.slip(w.one(w.old)) })},
	{name: "an unseen one, with a slip", make: stays(func(w *world) string { return w.slip(w.one(w.unseen)) })},
	{name: "a foreign one, with a slip", make: stays(func(w *world) string { return w.slip(w.one(w.foreign)) })},
	{name: "a foreign one's head, a stored signature", make: stays(func(w *world) string {
		a, b := w.one(w.foreign), w.stored()
		return a[:len(a)-64] + b[len(b)-64:]
	})},
	{name: "good: stored", make: stays(func(w *world) string { return w.stored() })},
	{name: "good: an old one", make: stays(func(w *world) string { return w.one(w.old) })},
	{name: "good: an unseen one", make: stays(func(w *world) string { return w.one(w.unseen) })},
	{name: "good: a foreign one", make: stays(func(w *world) string { return w.one(w.foreign) })},
}

// TestCorruptions counts what becomes of 320 values of each kind, of 40 with -short. With -v it prints the counts.
func TestCorruptions(t *testing.T) {
	each := 320
	if testing.Short() {
		each = 40
	}
	worlds := make([]*world, 40)
	for i := range worlds {
		worlds[i] = newWorld(uint64(i))
	}
	t.Logf("%-42s %8s %6s %6s | start_session: %8s %6s %6s", "kind", "restored", "left", "wrong", "restored", "left", "denied")
	for n, k := range kinds {
		restored, opened, denied, wrong := 0, 0, 0, 0
		for i := range each {
			w := worlds[i%len(worlds)]
			w.Rand = rand.New(rand.NewPCG(uint64(i), uint64(n)))
			supplied, of := k.make(w)
			for _, mode := range []Mode{{Signed: true}, {Signed: true, Session: "sid"}} {
				d := Repair(supplied, w.candidates, mode)
				switch {
				case d.Action == Repaired && d.Value != of:
					if wrong++; wrong < 3 {
						t.Errorf("%s, number %d: taken for a value it is not: %s\nmade      %s\ninto      %s", k.name, i, d.Why, supplied, d.Value)
					}
				case d.Action == Repaired && mode.Session == "":
					restored++
				case d.Action == Repaired:
					opened++
				case d.Action == Denied && mode.Session != "" && !strings.HasPrefix(k.name, "good"):
					denied++
				case d.Action != Left:
					t.Fatalf("%s, number %d: %s: %s", k.name, i, d.Action, d.Why)
				}
				for _, c := range w.candidates {
					if strings.Contains(d.Why, c.Value[len(c.Value)-8:]) || strings.Contains(d.Why, c.Value[:8]) {
						t.Errorf("%s: the reason shows a value: %s", k.name, d.Why)
					}
				}
			}
		}
		t.Logf("%-42s %8d %6d %6d |                %8d %6d %6d", k.name, restored, each-restored-wrong/2, wrong, opened, each-opened-denied, denied)
		if k.all && restored < each || k.most > 0 && each-restored > each*k.most/1000 {
			t.Errorf("%s: only %d of %d were restored", k.name, restored, each)
		}
		if restored != opened {
			t.Errorf("%s: %d restored, %d where a session is opened", k.name, restored, opened)
		}
	}
}
