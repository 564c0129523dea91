package trial_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/carry"
	"wsi/hook/recorded"
	"wsi/hook/rules"
	"wsi/hook/trial"
	"wsi/internal/rawjson"
	"wsi/internal/testkit/envtest"
)

const (
	basket = "550e8400-e29b-41d4-a716-446655440000"
	near   = "550e8400-e29b-41d4-a716-446655440010"
	second = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
)

// parse returns the rules of a rule file.
func parse(t testing.TB, toml string) rules.Set {
	t.Helper()
	_, set, errs := rules.Over(rules.Set{}, "test.toml", []byte(toml))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return set
}

// script is a session that a test writes.
type script struct {
	*trial.Trial
	n int
}

func begin(set rules.Set) *script {
	s := &script{Trial: trial.New(set)}
	s.Begin("claude-code")
	return s
}

// call makes a call to the server "shop".
func (s *script) call(tool, args, result string) { s.returned(s.called(tool, args), result, false) }

func (s *script) fail(tool, args string) { s.returned(s.called(tool, args), "no such basket", true) }

func (s *script) called(tool, args string) (id string) {
	s.n++
	id = fmt.Sprint("call ", s.n)
	s.Step(harnesses.Step{Kind: harnesses.Called, ID: id, Server: "shop", Tool: tool, Args: []byte(args)}, false)
	return id
}

func (s *script) returned(id, result string, failed bool) {
	s.Step(harnesses.Step{Kind: harnesses.Returned, ID: id, Result: carry.Result{Blocks: []carry.Block{{Text: rawjson.Quote(result)}}, Error: failed}}, false)
}

const rule = `
[[carry]]
name = "basket"
servers = ["shop"]
secret = false
scope = "session"
shape = '^[0-9a-f-]{36}$'
[carry.capture]
tools = ["create"]
from = ["json:basket"]
key = ["self"]
[[carry.inject]]
tools = ["add"]
argument = "basket"
choose = "alone"
[[carry.repair]]
tools = ["add", "show"]
arguments = ["basket"]
mode = "distance"
max = 2
margin = 12
`

func with(value string) string { return `{"basket":"` + value + `"}` }

func TestTrial(t *testing.T) {
	created := func(s *script) { s.call("create", `{}`, with(basket)) }
	for name, c := range map[string]struct {
		do   func(*script)
		want trial.Counts
	}{
		"nothing is called":    {func(*script) {}, trial.Counts{}},
		"another tool":         {func(s *script) { created(s); s.call("list", with(second), "{}") }, trial.Counts{Captured: 1}},
		"the model agrees":     {func(s *script) { created(s); s.call("add", with(basket), "{}") }, trial.Counts{Captured: 1, Calls: 1, Agreed: 1}},
		"it leaves it out":     {func(s *script) { created(s); s.call("add", `{}`, "{}") }, trial.Counts{Captured: 1, Calls: 1, Filled: 1}},
		"it has to pass it":    {func(s *script) { created(s); s.fail("add", `{"basket":""}`) }, trial.Counts{Captured: 1, Calls: 1, Failed: 1, Filled: 1, FilledFailed: 1}},
		"it knows better":      {func(s *script) { created(s); s.call("add", with(second), "{}") }, trial.Counts{Captured: 1, Calls: 1, Contradicted: 1}},
		"it passes no string":  {func(s *script) { created(s); s.call("add", `{"basket":7}`, "{}") }, trial.Counts{Captured: 1, Calls: 1, Contradicted: 1}},
		"neither is right":     {func(s *script) { created(s); s.fail("add", with(second)) }, trial.Counts{Captured: 1, Calls: 1, Failed: 1, Left: 1}},
		"it mistypes":          {func(s *script) { created(s); s.fail("show", with(near)) }, trial.Counts{Captured: 1, Calls: 1, Failed: 1, Corrected: 1}},
		"it does not mistype":  {func(s *script) { created(s); s.call("show", with(near), "{}") }, trial.Counts{Captured: 1, Calls: 1, Corrected: 1, Contradicted: 1}},
		"only repaired, right": {func(s *script) { created(s); s.call("show", with(basket), "{}") }, trial.Counts{Captured: 1, Calls: 1, Agreed: 1}},
		"only repaired, other": {func(s *script) { created(s); s.call("show", with(second), "{}") }, trial.Counts{Captured: 1, Calls: 1, Unknown: 1}},
		"only repaired, none":  {func(s *script) { created(s); s.call("show", `{}`, "{}") }, trial.Counts{Captured: 1, Calls: 1, Left: 1}},
		"before any result":    {func(s *script) { s.call("add", with(basket), "{}"); s.call("add", `{}`, "{}") }, trial.Counts{Calls: 2, Unknown: 1, Left: 1}},
		"there are two": {func(s *script) {
			created(s)
			s.call("create", `{}`, with(second))
			s.call("add", with(basket), "{}")
			s.call("add", `{}`, "{}")
		}, trial.Counts{Captured: 2, Calls: 2, Agreed: 1, Left: 1}},
		"a call that never returns": {func(s *script) { created(s); s.called("add", with(second)) }, trial.Counts{Captured: 1}},
		"two calls at once": {func(s *script) {
			first := s.called("add", `{}`) // before the value was known
			created(s)
			s.returned(first, "{}", false)
		}, trial.Counts{Captured: 1, Calls: 1, Left: 1}},
		"a result of no call": {func(s *script) { s.returned("x", with(basket), false) }, trial.Counts{}},
		"another session": {func(s *script) {
			created(s)
			s.Step(harnesses.Step{Session: "other", Kind: harnesses.Called, ID: "o", Server: "shop", Tool: "add", Args: []byte(with(second))}, false)
			s.Step(harnesses.Step{Session: "other", Kind: harnesses.Returned, ID: "o"}, false)
		}, trial.Counts{Captured: 1, Calls: 1, Unknown: 1}},
		"recorded again": {func(s *script) {
			created(s)
			s.called("add", with(basket))
			s.Step(harnesses.Step{Kind: harnesses.Returned, ID: "call 2"}, true)
		}, trial.Counts{Captured: 1}},
		"another recording": {func(s *script) { created(s); s.Begin("codex"); s.call("add", `{}`, "{}") }, trial.Counts{Captured: 1, Calls: 1, Left: 1}},
	} {
		s := begin(parse(t, rule))
		if c.do(s); *s.Rules["basket"] != c.want {
			t.Errorf("%s: %+v\nwant %+v", name, *s.Rules["basket"], c.want)
		}
	}
}

// A value that changes with each answer: the model may go back to an older one, which is no contradiction.
func TestOlder(t *testing.T) {
	set := parse(t, `
[[carry]]
name = "page"
servers = ["shop"]
shape = '^[0-9a-f-]{36}$'
[carry.capture]
from = ["json:next"]
[carry.flow]
opens = ["open"]
[[carry.inject]]
tools = ["page"]
argument = "at"
`)
	s := begin(set)
	s.call("open", `{}`, `{"next":"`+basket+`"}`)
	s.call("page", `{"at":"`+basket+`"}`, `{"next":"`+second+`"}`)
	s.call("page", `{"at":"`+basket+`"}`, `{}`)
	s.fail("page", `{"at":"`+basket+`"}`)
	if got, want := *s.Rules["page"], (trial.Counts{Captured: 2, Calls: 3, Failed: 1, Agreed: 1, Older: 1, Left: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A call with values of two results is refused; a server that accepts it contradicts the rule.
func TestTogether(t *testing.T) {
	set := parse(t, `
[[carry]]
name = "order"
servers = ["shop"]
shape = '^[0-9a-f-]{36}$'
[carry.capture]
tools = ["prepare"]
from = ["json:order"]
key = ["self"]
[carry.together]
tools = ["pay"]
by = ["order"]
[carry.together.values]
order = "self"
sum = "json:sum"
`)
	s := begin(set)
	s.call("prepare", `{}`, `{"order":"`+basket+`","sum":"70"}`)
	s.call("pay", `{"order":"`+basket+`","sum":"70"}`, "{}")
	s.call("pay", `{"order":"`+basket+`","sum":"80"}`, "{}")
	s.fail("pay", `{"order":"`+basket+`","sum":"90"}`)
	s.fail("pay", `{"order":"`+second+`","sum":"90"}`)
	if got, want := *s.Rules["order"], (trial.Counts{Captured: 1, Calls: 4, Failed: 2, Agreed: 1, Contradicted: 1, Refused: 2, Unknown: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A rule that says to leave a tool alone, and a server without rules, keep a call from being tried.
func TestLeft(t *testing.T) {
	s := begin(parse(t, rule+"[[leave]]\ntools = [\"mcp__shop__add\"]\n"))
	s.call("create", `{}`, with(basket))
	s.call("add", with(second), "{}")
	s.Step(harnesses.Step{Kind: harnesses.Called, ID: "x", Server: "workflows", Tool: "start_session", Args: []byte(`{}`)}, false)
	s.Step(harnesses.Step{Kind: harnesses.Returned, ID: "x"}, false)
	if got, want := *s.Rules["basket"], (trial.Counts{Captured: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// However many sessions, servers and calls a recording has, only some are kept.
func TestLimits(t *testing.T) {
	s := begin(parse(t, rule))
	for i := range 5000 {
		s.Step(harnesses.Step{Session: fmt.Sprint(i % 40), Kind: harnesses.Called, ID: fmt.Sprint(i), Server: strings.Repeat("-", i) + "shop", Tool: "create", Args: []byte(`{}`)}, false)
		s.Step(harnesses.Step{Kind: harnesses.Called, ID: fmt.Sprint(i), Server: "shop", Tool: "create", Args: []byte(`{}`)}, false)
	}
	for i := range 5000 {
		s.Step(harnesses.Step{Kind: harnesses.Returned, ID: fmt.Sprint(i), Result: carry.Result{Blocks: []carry.Block{{Text: rawjson.Quote(fmt.Sprintf(`{"basket":"%036x"}`, i))}}}}, false)
	}
	if got := s.Rules["basket"].Captured; got != 1024 {
		t.Errorf("%d calls are kept", got)
	}
}

// visitor tries rules on recordings.
type visitor struct {
	*trial.Trial
	once *recorded.Once
	now  string
}

func (v *visitor) Begin(h harnesses.Harness, _ int64) { v.now = h.ID; v.Trial.Begin(h.ID) }
func (v *visitor) Step(s harnesses.Step) {
	v.Trial.Step(s, s.Kind == harnesses.Returned && v.once.Again(v.now, s.ID))
}
func (*visitor) End()        {}
func (*visitor) Skip(string) {}
func (*visitor) Read(int)    {}

// What three real harnesses recorded of one script (hook/recorded/testdata): a right rule agrees, a wrong one is
// contradicted in each of them.
func TestRealRecordings(t *testing.T) {
	injects := func(name, from, field, to, argument string) string {
		return strings.NewReplacer("NAME", name, "FROM", from, "FIELD", field, "TO", to, "ARGUMENT", argument).Replace(`
[[carry]]
name = "NAME"
servers = ["shop"]
shape = '^[0-9a-f-]{16,40}$'
secret = false
scope = "session"
[carry.capture]
tools = ["FROM"]
from = ["structured:FIELD", "json:FIELD"]
key = ["self"]
[[carry.inject]]
tools = ["TO"]
argument = "ARGUMENT"
choose = "alone"
`)
	}
	set := injects("right", "create_basket", "basket_id", "create_order", "basket_id") + injects("wrong", "create_order", "order_id", "get_basket", "basket_id")
	for harness, path := range map[string]string{"Claude Code": "claude-code", "Codex": "codex", "OpenCode": "opencode"} {
		v := &visitor{Trial: trial.New(parse(t, set)), once: recorded.NewOnce()}
		files := &recorded.Files{Env: envtest.New(t, nil, nil), Harnesses: registry.All()}
		for range 2 { // what was recorded twice counts once
			if err := files.Visit(filepath.Join("..", "recorded", "testdata", path), v); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := *v.Rules["right"], (trial.Counts{Captured: 1, Calls: 1, Agreed: 1}); got != want {
			t.Errorf("%s, the right rule: %+v, want %+v", harness, got, want)
		}
		// One call came before the order was created, or is a sub-agent's, which has not seen it.
		if got := *v.Rules["wrong"]; got.Contradicted < 1 || got.Agreed+got.Corrected+got.Filled > 0 {
			t.Errorf("%s, the wrong rule: %+v", harness, got)
		}
	}
}
