package ruletest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/refserver/scripted"
)

func parsed(t *testing.T, text string) carry.Rule {
	t.Helper()
	set, err := rules.Parse("rules.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set.Rules[0].Rule
}

// Every built-in rule has calls in which it has something to do, and calls that it must leave as they were typed
// do not count as such.
func TestBuiltinRules(t *testing.T) {
	set := rules.Builtin()
	for _, r := range set.Rules {
		c, err := Of(r.Rule, 1)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		for _, s := range c.Steps {
			if s.Value != "" && !r.Shape.Matches(s.Value) {
				t.Errorf("%s: a value that is not of its shape", r.Name)
			}
			if s.Want != nil && s.Right(s.Typed) {
				t.Errorf("%s, %s: what is typed is right already", r.Name, s.What)
			}
			if s.Want != nil && !s.Right(s.Want) {
				t.Errorf("%s, %s: what must arrive is not right", r.Name, s.What)
			}
		}
	}
}

// What is called follows the rule.
func TestSteps(t *testing.T) {
	const head = "[[carry]]\nname = 'x'\nservers = ['x']\n"
	for name, c := range map[string]struct {
		rule  string
		calls []string // tools of the calls in which something is carried
		has   string   // in what the first call is answered with
	}{
		"the newest": {head + "[carry.capture]\nfrom = ['meta:a.b']\n[[carry.inject]]\ntools = ['use']\nargument = 'h'\nwhen = 'missing'\n", []string{"use", "use"}, `"_meta":{"a":{"b":"`},
		"a placeholder": {
			head + "[carry.capture]\nfrom = ['structured:h']\n[[carry.inject]]\ntools = ['use']\nargument = 'h'\n",
			[]string{"use", "use", "use", "use"},
			`"structuredContent":{"h":"`,
		},
		"a line of text": {
			head + "shape = '^[a-f]{40,}$'\n[carry.capture]\nfrom = ['text:(?m)^handle: (\\S+)$']\ntools = ['get']\n[[carry.repair]]\ntools = ['get']\narguments = ['h']\nmode = 'distance'\nmax = 2\nmargin = 8\n",
			[]string{"get"},
			`"text":"handle: `,
		},
		"an element of a list": {
			head + "[carry.capture]\nfrom = ['json:all[].id']\neach = true\nkey = ['self']\n[[carry.repair]]\ntools = ['get']\narguments = ['id']\nmode = 'distance'\nmax = 2\nmargin = 8\n",
			[]string{"get"},
			`{\"all\":[{\"id\":\"`,
		},
		"a list": {
			head + "shape = '^[a-f]{40}$'\n[carry.capture]\nfrom = ['json:[].id']\neach = true\nkey = ['self']\n[[carry.repair]]\ntools = ['get']\narguments = ['id']\nmode = 'distance'\nmax = 2\nmargin = 8\n",
			[]string{"get"},
			`"text":"[{\"id\":\"`,
		},
		"no tool that destroys": {
			head + "[carry.capture]\nfrom = ['meta:h']\n[[carry.inject]]\ntools = ['delete_it', 'read_it']\nargument = 'h'\nwhen = 'missing'\n",
			[]string{"read_it", "read_it"},
			`"_meta"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c2, err := Of(parsed(t, c.rule), 7)
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, s := range c2.Steps {
				if s.Want != nil {
					calls = append(calls, s.Tool)
				}
			}
			if !slices.Equal(calls, c.calls) || c2.Steps[0].ID != "7" || !strings.Contains(string(c2.Steps[0].Result), c.has) {
				t.Errorf("%v, first %s: %s", calls, c2.Steps[0].ID, c2.Steps[0].Result)
			}
		})
	}
	if _, err := Of(parsed(t, head+"[carry.capture]\nfrom = ['meta:h']\n[[carry.inject]]\ntools = ['close']\nargument = 'h'\n"), 1); !errors.Is(err, ErrNothing) {
		t.Errorf("a rule for a tool that destroys: %v", err)
	}
}

// What arrives otherwise than it must, or not at all, is not right.
func TestJudge(t *testing.T) {
	c, err := Of(parsed(t, "[[carry]]\nname = 'x'\nservers = ['x']\n[carry.capture]\nfrom = ['meta:h']\n[[carry.inject]]\ntools = ['use']\nargument = 'h'\nwhen = 'missing'\n"), 1)
	if err != nil {
		t.Fatal(err)
	}
	var good []scripted.Arrival
	for _, s := range c.Steps {
		if s.Want != nil {
			good = append(good, scripted.Arrival{Step: s.ID, Tool: s.Tool, Arguments: s.Want})
		}
	}
	swapped := slices.Clone(good)
	swapped[0].Arguments, swapped[1].Arguments = good[1].Arguments, good[0].Arguments
	for name, a := range map[string]struct {
		arrived []scripted.Arrival
		right   int
	}{
		"all": {good, 2}, "one": {good[:1], 1}, "none": {nil, 0}, "of each other": {swapped, 0},
		"no JSON": {[]scripted.Arrival{{Step: good[0].Step, Tool: "use", Arguments: json.RawMessage("{")}}, 0},
	} {
		right, needed, wrong := Judge([]Case{c}, a.arrived)
		if right != a.right || needed != 2 || (wrong == "") != (right == 2) {
			t.Errorf("%s: %d of %d, %q", name, right, needed, wrong)
		}
	}
}

// What a model reads is right if it has each notice once, as the server's words.
func TestTold(t *testing.T) {
	const rule = "[[carry]]\nname = 'x'\nservers = ['x']\n[carry.show]\nfrom = ['meta:a', 'meta:b.c']\ntools = ['get']\n"
	c, err := OfShow(parsed(t, rule), 1)
	if err != nil || len(c.Notices) != 2 || len(c.Steps) != 2 || c.Steps[0].Tool != "get" {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, notice := range c.Notices {
		if strings.Count(string(c.Steps[0].Result), notice) != 1 {
			t.Errorf("%q is not in %s", notice, c.Steps[0].Result)
		}
	}
	const mark = "x adds (from _meta):\n"
	both := strings.Join(c.Notices, "\n")
	for name, read := range map[string][]string{
		"nothing":     nil,
		"one":         {mark + c.Notices[1], ""},
		"twice":       {mark + both, mark + both},
		"not marked":  {both, ""},
		"marked late": {both + mark, ""},
	} {
		if c.Told("x", read) {
			t.Errorf("%s is right", name)
		}
	}
	if !c.Told("x", []string{mark + both, ""}) {
		t.Error("once, marked: wrong")
	}
}
