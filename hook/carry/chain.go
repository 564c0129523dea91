package carry

import "slices"

// Chain is a value that changes from call to call: each result contains the next one.
type Chain struct {
	ID          int      `json:"id"`
	Server      string   `json:"server"`
	Key         string   `json:"key,omitempty"`      // what names it, by the rule's Capture.Key
	Value       string   `json:"value"`              // the newest; "" if it was never seen
	Older       []string `json:"older,omitempty"`    // some earlier values, the newest last
	Seen        []string `json:"seen"`               // digests of its values, the newest last
	Branches    []string `json:"branches,omitempty"` // digests of superseded answers, which count as older values
	Equivalents []string `json:"peers,omitempty"`    // digests of values equivalent to the newest: only their count and time differ
	Since       []string `json:"since,omitempty"`    // digests of the values carried since the session last changed
	By          string   `json:"by,omitempty"`       // the agent whose call advanced it last
	Child       bool     `json:"child,omitempty"`    // it is of a session that was opened as the child of another one
	SideOf      string   `json:"aside,omitempty"`    // of a side chain: digest of the older value of another chain that it started from
}

func (c *Chain) has(d string) bool {
	return slices.Contains(c.Seen, d) || slices.Contains(c.Equivalents, d) || slices.Contains(c.Branches, d)
}

// isHead reports whether a value is the chain's newest or equivalent to it.
func (c *Chain) isHead(d string) bool {
	return d != "" && (d == digest(c.Value) || slices.Contains(c.Equivalents, d))
}

// isUnchangedSince reports whether the session has not changed since a call carried this value.
func (c *Chain) isUnchangedSince(d string) bool { return slices.Contains(c.Since, d) }

// sinceAfter returns the value of Chain.Since after a call is answered. If the rule does not say which calls
// change the session, any call may.
func (c *Chain) sinceAfter(rule *Rule, n Note) []string {
	switch {
	case n.Changes || n.Carried == "":
		return nil
	case len(rule.Flow.Changes) == 0:
		return []string{n.Carried}
	case slices.Contains(c.Since, n.Carried):
		return c.Since
	}
	return remember(slices.Clip(c.Since), n.Carried)
}

// equivalentsAfter returns the value of Chain.Equivalents after a call is answered: the values that other agents
// may be working with, unless the call changed the session.
func (c *Chain) equivalentsAfter(n Note) []string {
	if n.Changes && !n.Keeps {
		return nil
	}
	equivalents := slices.Clone(c.Equivalents)
	if d := digest(c.Value); d != "" && !slices.Contains(equivalents, d) {
		equivalents = append(equivalents, d)
	}
	if !n.Keeps { // only after a tool in Flow.Keeps the call's own value stays equivalent
		equivalents = slices.DeleteFunc(equivalents, func(d string) bool { return d == n.Carried })
	}
	return newest(equivalents, maxDigests)
}

// retire moves the newest value to Older, which has room for all but the newest of maxValues.
func (c *Chain) retire() {
	if c.Value != "" {
		c.Older = append(slices.Clip(c.Older), c.Value)
		c.Value = ""
	}
	c.Older = newest(c.Older, maxValues-1)
}

func (c *Chain) addEquivalent(n Note, value string) Decision {
	c.Equivalents, c.By = remember(slices.Clip(c.Equivalents), digest(value)), n.Agent
	return wentOn
}

// promote makes an equivalent answer the newest value, because its agent continues with it.
func (c *Chain) promote(n Note, value string) {
	if c.Value != "" {
		c.Equivalents = remember(slices.Clip(c.Equivalents), digest(c.Value))
	}
	c.retire()
	c.Value, c.By = value, n.Agent
	c.Seen = remember(c.Seen, digest(value))
}

// isUnclaimed reports whether the chain is a late answer that no agent has continued. It is not injected.
func (c *Chain) isUnclaimed() bool { return c.SideOf != "" && c.Value == "" }

// isUnseen reports whether no value of the chain was ever seen.
func (c *Chain) isUnseen() bool {
	return c.Value == "" && len(c.Seen)+len(c.Older) == 0 && c.SideOf == ""
}

// claim makes the late answer that started a chain its value, because an agent has carried that answer or
// an equivalent one.
func (c *Chain) claim() {
	if !c.isUnclaimed() {
		return
	}
	for i, v := range slices.Backward(c.Older) {
		if d := digest(v); slices.Contains(c.Equivalents, d) {
			c.Value, c.Older = v, slices.Delete(slices.Clone(c.Older), i, i+1)
			c.Equivalents = slices.DeleteFunc(slices.Clone(c.Equivalents), func(e string) bool { return e == d })
			return
		}
	}
}

// addBranch records an answer that is not continued. It counts as one of the chain's older values.
func (c *Chain) addBranch(value string) Decision {
	if d := digest(value); d != "" && !c.has(d) {
		c.Branches = remember(c.Branches, d)
	}
	return wentOn
}

var wentOn = Decision{Action: Left, Why: "the chain has gone on since this call"}
