package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/hook/rules"
	"wsi/internal/rawjson"
)

// said is a result with a text.
func said(text string) carry.Result {
	return carry.Result{Blocks: []carry.Block{{Text: rawjson.Quote(text)}}}
}

const (
	id1, id2, id3 = "bsk_a1b2c3d4e5f6g7h8", "bsk_q9w8e7r6t5y4u3i2", "bsk_z1x2c3v4b5n6m7k8"
	id4           = "bsk_p0o9i8u7y6t5r4e3"
)

// run makes calls: "SESSION TOOL ARGS -> RESULT", "SESSION fails TOOL ARGS", or "SESSION told TEXT".
func run(l *Learner, lines ...string) {
	for _, line := range lines {
		session, rest, _ := strings.Cut(line, " ")
		if text, ok := strings.CutPrefix(rest, "told "); ok {
			l.Elsewhere(session, [][]byte{rawjson.Quote(text)})
			continue
		}
		rest, fails := strings.CutPrefix(rest, "fails ")
		call, result, _ := strings.Cut(rest, " -> ")
		tool, args, _ := strings.Cut(call, " ")
		c := Call{Session: session, Server: "shop", Tool: tool, Args: []byte(args), Result: said(result)}
		c.Result.Error = fails
		l.Call(c)
	}
}

func pairs(l *Learner) (all []string) {
	proposals, _ := l.Proposals()
	for _, p := range proposals {
		for _, u := range p.Uses {
			all = append(all, fmt.Sprintf("%s %s -> %s %s", p.Tool, p.Path, u.Tool, u.Argument))
		}
	}
	return all
}

func TestLearn(t *testing.T) {
	create := func(session, id string) string { return session + ` create {} -> {"basket":{"id":"` + id + `"}}` }
	add := func(session, id string) string { return session + ` add {"basket_id":"` + id + `"} -> done` }
	for name, c := range map[string]struct {
		calls []string
		want  string
	}{
		"three calls, two values":      {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2)}, "create basket.id -> add basket_id"},
		"two calls":                    {[]string{create("1", id1), add("1", id1), create("2", id2), add("2", id2)}, ""},
		"one value only":               {[]string{create("1", id1), add("1", id1), add("1", id1), add("1", id1), add("1", id1)}, ""},
		"a value from nowhere":         {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2), add("2", id3)}, ""},
		"no id":                        {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2), add("2", "main")}, ""},
		"the value of another session": {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2), add("2", id1)}, ""},
		"a value that the user typed":  {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2), "2 told use " + id3, add("2", id3)}, "create basket.id -> add basket_id"},
		"only values that the user typed": {[]string{
			"1 told " + id1 + " " + id2 + " " + id3, create("1", id1), add("1", id1), create("1", id2), add("1", id2), create("1", id3), add("1", id3),
		}, ""},
		"a call that failed": {[]string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2), `2 fails add {"basket_id":"` + id4 + `"} -> no such basket`}, "create basket.id -> add basket_id"},
		"an echo is no source": {[]string{
			`1 get {"basket_id":"` + id1 + `"} -> {"id":"` + id1 + `"}`, add("1", id1), add("1", id1), `2 get {"basket_id":"` + id2 + `"} -> {"id":"` + id2 + `"}`, add("2", id2), add("2", id2),
		}, ""},
		"two places that always agree": {[]string{
			`1 create {} -> {"id":"` + id1 + `","ref":"` + id1 + `"}`, add("1", id1), add("1", id1), `1 create {} -> {"id":"` + id2 + `","ref":"` + id2 + `"}`, add("1", id2),
		}, ""},
		"two places of which one is wrong": {[]string{
			`1 create {} -> {"id":"` + id1 + `","ref":"` + id1 + `"}`, add("1", id1), add("1", id1), `2 create {} -> {"id":"` + id2 + `","ref":"` + id3 + `"}`, add("2", id2),
		}, "create id -> add basket_id"},
		"an element of a list": {[]string{
			`1 list {} -> {"all":[{"id":"` + id1 + `"},{"id":"` + id2 + `"}]}`, add("1", id1), add("1", id2), add("1", id1),
		}, "list all[].id -> add basket_id"},
		"a secret": {[]string{
			`1 create {} -> {"token":"` + id1 + `"}`, `1 add {"token":"` + id1 + `"} -> x`, `1 add {"token":"` + id1 + `"} -> x`, `2 create {} -> {"token":"` + id2 + `"}`, `2 add {"token":"` + id2 + `"} -> x`,
		}, ""},
		"a tool that destroys": {[]string{
			create("1", id1), `1 delete {"id":"` + id1 + `"} -> x`, create("1", id2), `1 delete {"id":"` + id2 + `"} -> x`, create("1", id3), `1 delete {"id":"` + id3 + `"} -> x`,
		}, ""},
	} {
		l := New()
		run(l, c.calls...)
		if got := strings.Join(pairs(l), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A value of a rule that keeps it secret is not learnt from, however its member is named.
func TestLearnNoSecret(t *testing.T) {
	l := New()
	l.Secret = func(server, name, _ string) bool { return server == "shop" && name == "basket_id" }
	run(l, `1 create {} -> {"id":"`+id1+`"}`, `1 add {"basket_id":"`+id1+`"} -> x`, `1 add {"basket_id":"`+id1+`"} -> x`, `1 create {} -> {"id":"`+id2+`"}`, `1 add {"basket_id":"`+id2+`"} -> x`)
	if got := pairs(l); got != nil {
		t.Errorf("%q", got)
	}
}

// What is printed is a rule file without an error, whatever names servers, tools and members have, and has no value.
func TestTOML(t *testing.T) {
	for _, odd := range []string{"basket_id", `a"b\c`, "корзина", "a b'c#", "it's = x", "[x]", "\u202eabc", "a\nb", "a.b", "*", "", "-", strings.Repeat("x", 65)} {
		l := New()
		call := func(session, name, member, value, result string) {
			args := "{}"
			if value != "" {
				args = `{` + string(rawjson.Quote(member)) + `:"` + value + `"}`
			}
			l.Call(Call{Session: session, Server: odd, Tool: odd + name, Args: []byte(args), Result: said(result)})
		}
		for i, id := range []string{id1, id2, id3} {
			session := fmt.Sprint(i)
			call(session, "1", "", "", `{`+string(rawjson.Quote(odd))+`:"`+id+`"}`)
			call(session, "2", odd, id, "x")
		}
		text := ""
		proposals, _ := l.Proposals()
		for _, p := range proposals {
			text += p.TOML()
		}
		set, errs := rules.Parse("learnt.toml", []byte(text))
		if err := errs.Err(); err != nil {
			t.Errorf("%q: %v\n%s", odd, err, text)
		}
		plain := plainName(odd) && !strings.ContainsAny(odd, ".[]")
		if (len(set.Rules) == 1) != plain {
			t.Errorf("%q: %d rules\n%s", odd, len(set.Rules), text)
		}
		for _, id := range []string{id1, id2, id3, "bsk"} {
			if strings.Contains(text, id) {
				t.Errorf("%q: a value is in\n%s", odd, text)
			}
		}
		if plain && (set.Rules[0].Servers[0] != odd || set.Rules[0].Takes(odd+"2") != odd || set.Rules[0].Capture.Tools[0] != odd+"1") {
			t.Errorf("%q: %+v", odd, set.Rules[0])
		}
	}
}

// Of random servers, with true flows and with places and arguments that only look like some, none gets a wrong rule in
// ten thousand sessions, and most true flows are found.
func TestNoWrongRule(t *testing.T) {
	servers, each := 100, 100
	if testing.Short() {
		servers = 20
	}
	l, random := New(), rand.New(rand.NewPCG(1, 2))
	var all []*world
	for i := range servers {
		w := newWorld(fmt.Sprint("server", i), random)
		all = append(all, w)
		for n := range each {
			w.session(l, fmt.Sprint(i, " ", n))
		}
	}
	proposals, _ := l.Proposals()
	found := map[string]bool{}
	for _, p := range proposals {
		for _, u := range p.Uses {
			key := fmt.Sprintf("%s %s %s -> %s %s", p.Server, p.Tool, p.Path, u.Tool, u.Argument)
			found[key] = true
			if !strings.HasPrefix(p.Server, "server") {
				t.Errorf("a rule for %s", p.Server)
			}
		}
	}
	flows, right := 0, 0
	for _, w := range all {
		for key := range w.truth {
			if flows++; found[key] {
				right++
			}
			delete(found, key)
		}
	}
	for key := range found {
		t.Errorf("wrong: %s", key)
	}
	if right*5 < flows*4 { // an id that the user typed and that does not look like one contradicts the others
		t.Errorf("%d of %d true flows found", right, flows)
	}
	t.Logf("%d of %d true flows found", right, flows)
}

// world is a server with some kinds of objects. What a tool takes and returns follows from its kind.
type world struct {
	name     string
	random   *rand.Rand
	kinds    []kindOf
	constant string          // every result and some calls have it
	truth    map[string]bool // SERVER TOOL PATH -> TOOL ARGUMENT
}

// kindOf is a kind of object: made by one tool, used by another.
type kindOf struct {
	path   string // of the id in the result
	twin   int    // another path: 0 none, 1 always the same value, 2 mostly, 3 another object's
	listed bool   // a tool lists all ids
	mixed  bool   // the tool that uses it takes objects of the next kind, too
	typed  int    // percent of the ids that come from the user
	short  bool   // the ids are counters
}

func newWorld(name string, random *rand.Rand) *world {
	w := &world{name: name, random: random, truth: map[string]bool{}}
	w.constant = w.id()
	paths := []string{"id", "basket.id", "result.item.key", "handle"}
	for i := range 1 + random.IntN(3) {
		k := kindOf{path: paths[random.IntN(len(paths))], twin: random.IntN(4), listed: random.IntN(3) == 0, mixed: random.IntN(4) == 0, short: random.IntN(6) == 0}
		if random.IntN(3) == 0 {
			k.typed = 40
		}
		w.kinds = append(w.kinds, k)
		if k.twin != 1 && !k.mixed && !k.short {
			w.truth[fmt.Sprintf("%s create_%d %s -> use_%d object", name, i, k.path, i)] = true
		}
	}
	for i, k := range w.kinds {
		if k.mixed && len(w.kinds) == 1 { // there is no other kind
			w.kinds[i].mixed = false
			if k.twin != 1 && !k.short {
				w.truth[fmt.Sprintf("%s create_%d %s -> use_%d object", name, i, k.path, i)] = true
			}
		}
	}
	return w
}

func (w *world) id() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	b := []byte("k1")
	for range 20 {
		b = append(b, letters[w.random.IntN(len(letters))])
	}
	return string(b) + "7"
}

func (w *world) session(l *Learner, name string) {
	made := make([][]string, len(w.kinds))
	count := 0
	for range 4 + w.random.IntN(20) {
		i := w.random.IntN(len(w.kinds))
		k := w.kinds[i]
		call := func(tool, args string, result string) {
			l.Call(Call{Session: name, Server: w.name, Tool: fmt.Sprintf("%s_%d", tool, i), Args: []byte(args), Result: said(result)})
		}
		switch w.random.IntN(5) {
		case 0, 1:
			id := w.id()
			if k.short {
				count++
				id = fmt.Sprint("item-", count)
			}
			twin := ""
			switch {
			case k.twin == 1, k.twin == 2 && w.random.IntN(4) > 0:
				twin = id
			case k.twin == 2:
				twin = w.id()
			case k.twin == 3 && len(made[i]) > 0:
				twin = made[i][len(made[i])-1]
			}
			made[i] = append(made[i], id)
			text := `"` + id + `"`
			parts := strings.Split(k.path, ".")
			for p := len(parts) - 1; p > 0; p-- {
				text = `{"` + parts[p] + `":` + text + `}`
			}
			call("create", `{"workspace":"`+w.constant+`"}`, `{"`+parts[0]+`":`+text+`,"twin":"`+twin+`","workspace":"`+w.constant+`"}`)
		case 2:
			if k.listed {
				call("list", `{}`, `{"all":[{"ref":"`+strings.Join(made[i], `"},{"ref":"`)+`"}]}`)
			}
		default:
			of := i
			if k.mixed && w.random.IntN(2) == 0 {
				of = (i + 1) % len(w.kinds)
			}
			if len(made[of]) == 0 {
				continue
			}
			id := made[of][w.random.IntN(len(made[of]))]
			if w.random.IntN(100) < k.typed {
				id = w.id()
				l.Elsewhere(name, [][]byte{rawjson.Quote("please use " + id + " for this")})
			}
			if w.random.IntN(10) == 0 {
				l.Call(Call{Session: name, Server: w.name, Tool: fmt.Sprint("use_", i), Args: []byte(`{"object":"` + w.id() + `"}`), Result: carry.Result{Error: true}})
			}
			call("use", `{"object":"`+id+`","workspace":"`+w.constant+`"}`, `{"object":"`+id+`","event":"`+w.id()+`"}`)
		}
	}
}

// remember adds calls from the memory of ids: "SESSION TOOL FIELD=ID ... -> FIELD=ID ...", or "SESSION fails TOOL ...".
func remember(l *Learner, lines ...string) {
	for _, line := range lines {
		session, rest, _ := strings.Cut(line, " ")
		rest, fails := strings.CutPrefix(rest, "fails ")
		call, result, _ := strings.Cut(rest, " ->")
		tool, args, _ := strings.Cut(call, " ")
		l.Remember(session, handles.Record{Server: "shop", Tool: tool, Failed: fails, Args: fields(args), Result: fields(result)})
	}
}

func fields(text string) (all []handles.Seen) {
	for _, one := range strings.Fields(text) {
		field, id, _ := strings.Cut(one, "=")
		shape, _ := handles.ShapeOf(id)
		all = append(all, handles.Seen{ID: id, Field: field, Shape: shape})
	}
	return all
}

func TestRemember(t *testing.T) {
	create := func(session, id string) string { return session + " create -> basket_id=" + id }
	add := func(session, id string) string { return session + " add basket=" + id + " ->" }
	enough := []string{create("1", id1), add("1", id1), add("1", id1), create("2", id2), add("2", id2)}
	for name, c := range map[string]struct {
		calls []string
		want  string
	}{
		"three calls, two values":      {enough, "create basket_id -> add basket"},
		"two calls":                    {[]string{create("1", id1), add("1", id1), create("2", id2), add("2", id2)}, ""},
		"one value only":               {[]string{create("1", id1), add("1", id1), add("1", id1), add("1", id1)}, ""},
		"a value from nowhere":         {append(slices.Clone(enough), add("2", id3)), ""},
		"something that is no id":      {append(slices.Clone(enough), add("2", "")), ""},
		"a call that failed":           {append(slices.Clone(enough), "2 fails add basket="+id3+" ->"), "create basket_id -> add basket"},
		"another agent's value":        {append(slices.Clone(enough), add("2", id1)), ""},
		"an echo is no source":         {[]string{"1 get a=" + id1 + " -> b=" + id1, add("1", id1), add("1", id1), "2 get a=" + id2 + " -> b=" + id2, add("2", id2)}, ""},
		"a text has no place":          {[]string{"1 create -> =" + id1, add("1", id1), add("1", id1), "2 create -> =" + id2, add("2", id2)}, ""},
		"a member that is there twice": {[]string{"1 list -> id=" + id1 + " id=" + id2, add("1", id1), add("1", id2), add("1", id1)}, ""},
		"a tool that destroys":         {[]string{create("1", id1), "1 delete id=" + id1 + " ->", create("2", id2), "2 delete id=" + id2 + " ->", create("3", id3), "3 delete id=" + id3 + " ->"}, ""},
		"a tool with a strange name":   {[]string{create("1", id1), "1 a\x1b basket=" + id1 + " ->", "1 a\x1b basket=" + id1 + " ->", create("2", id2), "2 a\x1b basket=" + id2 + " ->"}, ""},
	} {
		l := New()
		remember(l, c.calls...)
		if got := strings.Join(pairs(l), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	l := New()
	remember(l, enough...)
	all, _ := l.Proposals()
	if len(all) != 1 || all[0].Uses[0].Inject || !all[0].Repair {
		t.Errorf("the memory does not show that an argument was left out: %+v", all)
	}
	if !l.Knows("shop", "add", "basket") || l.Knows("shop", "add", "basket_id") || l.Knows("shop", "create", "basket") || l.Knows("bank", "add", "basket") {
		t.Error("it knows the wrong arguments")
	}
}
