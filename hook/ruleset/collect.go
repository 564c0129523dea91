package ruleset

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"wsi/hook/carry"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
	"wsi/internal/printable"
)

// Collections applies the rules of a server that collect values.
type Collections struct {
	Vault   vault.Vault
	Harness string
	Session string // of the harness
	Rules   []carry.Rule
	Settled bool // results were settled before: Keep says nothing about why a call failed

	all []carry.Rule // of the server
}

// In returns the collections of a server's rules. owner is as in [Split].
func In(v vault.Vault, all []carry.Rule, harness, session, owner string) Collections {
	c := Collections{Vault: v, Harness: harness, Session: session, all: all}
	for i := range all {
		if len(all[i].Collect.From) > 0 {
			c.Rules = append(c.Rules, all[i])
			c.Rules[len(c.Rules)-1].Server = serverOf(owner)
		}
	}
	return c
}

// Gathers reports whether a tool takes a collection.
func (c Collections) Gathers(tool string) bool {
	return slices.ContainsFunc(c.Rules, func(r carry.Rule) bool { return r.Gathers(tool) })
}

// of returns the collection of a rule that a call's value, or the call, belongs to. The collections of a rule for the
// user are named by the server's own key, so that a session continues in another conversation, and in another harness.
func (c Collections) of(rule *carry.Rule, call carry.Call, key string) vault.Collection {
	name := vault.Collection{Server: rule.Server, Rule: rule.Name, Key: key}
	if rule.Scope != carry.ScopeUser {
		name.Owner = vault.SessionKey(c.Harness, c.Session)
	}
	if rule.Scope == carry.ScopeAgent {
		name.Owner += " " + call.Agent
	}
	return name
}

// Keep adds the values of a call's result to their collections. It returns the decision about the result with what was
// kept of it. told is what the model gets to read of its _meta (see [Captured]).
func (c Collections) Keep(call carry.Call, result carry.Result, d carry.Decision, told string) (carry.Decision, error) {
	var errs error
	var unkept string // why a value is not kept
	came := cmp.Or(result.Came, time.Now().UnixMilli())
	for i := range c.Rules {
		rule := &c.Rules[i]
		values, why := carry.Take(rule, call, result)
		for _, v := range values {
			dropped, err := c.Vault.Add(c.of(rule, call, v.Key), vault.Kept{Came: came, Value: v.Value})
			if err != nil {
				errs = errors.Join(errs, err)
				continue
			}
			d.Kept++
			if dropped > 0 {
				why = fmt.Sprintf("%d of the oldest values were dropped to make room", dropped)
			}
		}
		unkept = cmp.Or(why, unkept)
	}
	if !c.Settled && c.lacks(call.Tool, result, d) {
		d.Why = failed
	}
	d.Why = cmp.Or(unkept, d.Why)
	d.Told = strings.Count(told, "\n")
	switch {
	case d.Action != carry.Left && d.Action != "":
	case d.Kept > 0: // and then it does not matter why nothing was captured
		d.Action, d.Why = carry.Kept, unkept
	case d.Told > 0:
		d.Action, d.Why = carry.Told, unkept
	case d.Why != "":
		d.Action = carry.Left
	}
	return d, errs
}

// Notice returns the text that the model reads of a result's _meta, "" for none.
func Notice(server, told string) string {
	if told == "" {
		return ""
	}
	return printable.Line(server) + " adds (from _meta):\n" + strings.TrimSuffix(told, "\n")
}

// Gather puts the collections that a call takes into it, after the other rules have decided.
func (c Collections) Gather(call carry.Call, o *Outcome) error {
	if o.Action == carry.Denied {
		return nil
	}
	if o.Changes() {
		call.Args = o.Change.Args
	}
	for i := range c.Rules {
		rule := &c.Rules[i]
		if !rule.Gathers(call.Tool) {
			continue
		}
		d, err := carry.Gather(rule, call, func(key string) ([]string, error) {
			return c.Vault.Collected(c.of(rule, call, key))
		})
		if err != nil {
			return err
		}
		if d.Changes() {
			call.Args = d.Change.Args
		}
		o.Decision = o.And(d)
	}
	return nil
}

// failed is why a result is left alone if its call failed for a value that no rule carries.
const failed = "the call failed, because the server requires a value that no rule carries to this tool"

// requires matches what the libraries of servers say if an argument is missing (zod, pydantic, ajv, jsonschema), and a server
// itself about an argument with a name of several words.
var requires = sync.OnceValue(func() *regexp.Regexp { // not compiled at start, which would slow down every hook
	return regexp.MustCompile(`(?i)"message": ?"required"|received undefined|: required\b|field required|missing required|required propert|missing propert|[a-z]_[a-z_]+["'\x60]? is required`)
})

// lacks reports whether a call failed, as the server says, because it lacks a value, and no rule of the server gives the tool
// one. d is the decision about its result.
func (c Collections) lacks(tool string, result carry.Result, d carry.Decision) bool {
	if !result.Error || d.Action != "" && d.Action != carry.Left {
		return false
	}
	takes := func(r carry.Rule) bool { return r.Takes(tool) != "" }
	names := func(r carry.Rule) bool { return r.Knows(tool) }
	if d.Action == carry.Left && d.Relevance() != carry.Unnamed && (slices.ContainsFunc(c.all, takes) || !slices.ContainsFunc(c.all, names)) {
		return false // a rule gives it one, or has taken the tool
	}
	return slices.ContainsFunc(result.Blocks, func(b carry.Block) bool {
		const most = 64 << 10
		text, _ := jsonraw.Unquote(b.Text) // "" if it is not a string
		return requires().MatchString(text[:min(len(text), most)])
	})
}
