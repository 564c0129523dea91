// Package ruletest generates calls that test a carry rule: what a server of that kind answers, what the model types,
// and what must arrive. The doctor checks whether it does.
//
// It is pure except for random values. It must not know harnesses, or how a call is made.
package ruletest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"

	"wsi/hook/carry"
	"wsi/internal/lists"
	"wsi/internal/refserver"
	"wsi/internal/refserver/scripted"
)

// Case has the calls that test one rule.
type Case struct {
	Rule  string
	Place carry.Kind // where the server shows its values
	Steps []Step
	// Notices are in the _meta of results. The model must read each of them once.
	Notices []string
}

// Step is one call. An argument of the call identifies the step.
type Step struct {
	ID      string
	What    string // named in a failure
	Session string // of the harness
	Tool    string
	Typed   []byte // the arguments that the model types
	Want    []byte // the arguments that must arrive, nil = a call that carries nothing
	Result  []byte // a raw CallToolResult
	Value   string // that the result issues, "" = none; it is never shown
	All     bool   // it takes all values that were kept for it
}

// Counts reports whether the step tests the rule, and does not only prepare others.
func (s Step) Counts() bool { return s.Want != nil }

// Right reports whether the right arguments arrived.
func (s Step) Right(arrived []byte) bool {
	got, ok := decoded(arrived)
	want, _ := decoded(s.Want)
	return ok && reflect.DeepEqual(got, want)
}

func decoded(raw []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// ErrNothing is the error for a rule that fills in no argument.
var ErrNothing = errors.New("it puts no value into any call")

// The sessions of a case. The third has two values, for rules that choose by a key. The last continues with a value
// that another one was issued.
const (
	session1    = "1"
	session2    = "2"
	twoValues   = "3"
	anotherUser = "4"
)

// Of returns a case for a rule. The first step gets a given number, so that several cases can share a server.
func Of(r carry.Rule, from int) (Case, error) {
	m := maker{rule: &r, n: from}
	if len(r.Capture.From) > 0 {
		m.opener = m.findOpener()
		if m.opener == "" {
			return Case{}, errors.New("no tool hands a value out")
		}
		if err := m.make(); err != nil {
			return Case{}, err
		}
	}
	if err := m.collect(); err != nil {
		return Case{}, err
	}
	if !slices.ContainsFunc(m.steps, Step.Counts) {
		return Case{}, ErrNothing
	}
	return Case{Rule: r.Name, Place: m.place(), Steps: m.steps}, nil
}

type maker struct {
	rule   *carry.Rule
	opener string // the tool that issues values
	key    string // of all values that are made up, "" = each has its own
	n      int
	steps  []Step
}

// handed is a value that was issued to a session, and the name of its chain.
type handed struct {
	value, key string
}

func (m *maker) make() error {
	sessions := []string{session1, session2}
	if slices.ContainsFunc(m.rule.Inject, func(in carry.Inject) bool { return in.Choose == "key" }) {
		sessions = append(sessions, twoValues, twoValues)
	}
	var opened [4]handed
	for i, session := range sessions {
		var err error
		if opened[i], err = m.open(session); err != nil {
			return err
		}
	}
	one, two, three, four := opened[0], opened[1], opened[2], opened[3]
	for i := range m.rule.Inject {
		in := &m.rule.Inject[i]
		m.inject(in, session1, one, "the first call that takes the value")
		m.inject(in, session2, two, "a call of another session")
		if in.Choose == "key" {
			m.inject(in, twoValues, three, "a call that names the older of two sessions")
			m.inject(in, twoValues, four, "a call that names the newer of two sessions")
		}
		if in.Choose == "key" && m.rule.Scope == carry.ScopeUser {
			m.inject(in, anotherUser, three, "a call in a later session of the user's")
		}
	}
	for i := range m.rule.Repair {
		m.repair(&m.rule.Repair[i], one, three, four)
	}
	return nil
}

func (m *maker) open(session string) (handed, error) {
	h, err := m.newValue()
	if err != nil {
		return h, err
	}
	result, err := m.result(h)
	if err != nil {
		return h, err
	}
	args := object{}
	m.add(Step{What: "a value is handed out", Session: session, Tool: m.opener, Result: result, Value: h.value}, args, nil)
	return h, nil
}

// inject adds a call in which the model omits a value.
func (m *maker) inject(in *carry.Inject, session string, h handed, what string) {
	tool := m.takes(in)
	if tool == "" || m.rule.Capture.Each && in.Choose != "key" {
		return
	}
	typed := object{}
	if in.Choose == "key" {
		typed.put(in.Key, h.key)
	}
	typed.parents(in.Argument)
	want := typed.clone()
	want.put(in.Argument, h.value)
	m.add(Step{What: what, Session: session, Tool: tool}, typed, want)
	if in.When == "placeholder" {
		typed = typed.clone()
		typed.put(in.Argument, "<"+string(in.Argument)+">")
		m.add(Step{What: what + ", with a placeholder typed by the model", Session: session, Tool: tool}, typed, want)
	}
}

// repair adds a call in which the model mistypes a value, or types the value of another key.
func (m *maker) repair(by *carry.RepairRule, one, three, four handed) {
	tool := m.repairing(by)
	if tool == "" {
		return
	}
	argument := by.Arguments[0]
	typed, session := object{}, session1
	h, wrong := one, damaged(one.value)
	if by.Mode == carry.ByKey {
		in := m.keyed(tool, argument)
		if in == nil {
			return
		}
		h, wrong, session = three, four.value, twoValues
		typed.put(in.Key, h.key)
	}
	typed.put(argument, wrong)
	want := typed.clone()
	want.put(argument, h.value)
	m.add(Step{What: "a value that the model mistyped", Session: session, Tool: tool}, typed, want)
}

func (m *maker) add(s Step, typed, want object) {
	s.ID = strconv.Itoa(m.n)
	m.n++
	typed = typed.clone()
	typed.decorate(s.ID)
	s.Typed = typed.raw()
	if want != nil {
		want = want.clone()
		want.decorate(s.ID)
		s.Want = want.raw()
	}
	if s.Result == nil {
		s.Result = []byte(`{"content":[{"type":"text","text":"done"}]}`)
	}
	m.steps = append(m.steps, s)
}

// Server returns the tools and the answers of a server for some cases.
func Server(all []Case) (tools []scripted.Tool, answers []scripted.Answer) {
	schemas := map[string]object{}
	var names []string
	for _, e := range all {
		for _, s := range e.Steps {
			answers = append(answers, scripted.Answer{Step: s.ID, Tool: s.Tool, Result: s.Result})
			if schemas[s.Tool] == nil {
				schemas[s.Tool] = object{}
				names = append(names, s.Tool)
			}
			for _, args := range [][]byte{s.Typed, s.Want} {
				schemas[s.Tool].learn(args)
			}
		}
	}
	for _, name := range names {
		schema := object{"type": "object", "properties": schemas[name]}
		tools = append(tools, scripted.Tool{Name: name, Schema: schema.raw()})
	}
	return tools, answers
}

// Sessions returns the steps of all cases, and their sessions in the order of their first calls.
func Sessions(all []Case) (steps []Step, sessions []string) {
	for _, c := range all {
		for _, s := range c.Steps {
			steps = append(steps, s)
			sessions = lists.AddUnique(sessions, s.Session)
		}
	}
	return steps, sessions
}

// Judge compares what arrived at a server with what must arrive. wrong describes the first call that is wrong.
func Judge(all []Case, arrived []scripted.Arrival) (right, needed int, wrong string) {
	for _, c := range all {
		for _, s := range c.Steps {
			if !s.Counts() {
				continue
			}
			needed++
			at := slices.IndexFunc(arrived, func(a scripted.Arrival) bool { return a.Step == s.ID && a.Tool == s.Tool })
			switch {
			case at >= 0 && s.Right(arrived[at].Arguments):
				right++
			case wrong == "":
				wrong = c.Wrong(s)
			}
		}
	}
	return right, needed, wrong
}

// Wrong describes a step with the wrong arguments.
func (c Case) Wrong(s Step) string {
	return s.What + ", by the rule " + strconv.Quote(c.Rule) + ": the arguments of " + s.Tool + " came otherwise than they must"
}

// collect adds results with values that a tool takes all together, and calls of it: each gets those of its session.
func (m *maker) collect() error {
	c := &m.rule.Collect
	if len(c.From) == 0 || len(c.Into) == 0 || !m.rule.Gathers(c.Into[0]) {
		return nil
	}
	rule := *m.rule
	rule.Capture = carry.Capture{From: c.From, Key: c.Key, Tools: c.Tools}
	issuer := maker{rule: &rule, n: m.n}
	tool := issuer.findOpener()
	keys := map[string]string{session1: refserver.NewID(rand.Reader), session2: refserver.NewID(rand.Reader)}
	values := map[string][]any{}
	for _, session := range []string{session1, session2, session1} {
		issuer.key = keys[session]
		h, err := issuer.newValue()
		if err != nil {
			return err
		}
		result, err := issuer.result(h)
		if err != nil {
			return err
		}
		values[session] = append(values[session], h.value)
		issuer.add(Step{What: "a value to be kept", Session: session, Tool: tool, Result: result, Value: h.value}, object{}, nil)
	}
	for _, session := range []string{session1, session2} {
		for _, typed := range []object{{}, listAt(c.Argument, []any{})} {
			if len(c.By) > 0 {
				typed.put(c.By[0], keys[session])
			}
			want := listAt(c.Argument, slices.Clone(values[session]))
			if len(c.By) > 0 {
				want.put(c.By[0], keys[session])
			}
			issuer.add(Step{What: "a call that takes all values of its session", Session: session, Tool: c.Into[0], All: true}, typed, want)
		}
	}
	m.steps, m.n = append(m.steps, issuer.steps...), issuer.n
	return nil
}

func listAt(path carry.Path, list []any) object {
	o := object{}
	o.set(path, list)
	return o
}
