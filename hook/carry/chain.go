package carry

import "slices"

// Chain is a value that changes from call to call: each result hands out the next one.
type Chain struct {
	ID          int      `json:"id"`
	Server      string   `json:"server"`
	Key         string   `json:"key,omitempty"`      // what names it, by the rule's Capture.Key
	Value       string   `json:"value"`              // the newest; "" if it was handed out unseen
	Older       []string `json:"older,omitempty"`    // the values before, the newest last; a few of them
	Seen        []string `json:"seen"`               // digests of its values, the newest last
	Branches    []string `json:"branches,omitempty"` // digests of answers that were passed over: older values, too
	Equivalents []string `json:"peers,omitempty"`    // digests of values that are as good as the newest: only their count and time differ
	Since       []string `json:"since,omitempty"`    // digests of values that were carried since the session last changed
	By          string   `json:"by,omitempty"`       // the agent whose call moved it last
	Aside       string   `json:"aside,omitempty"`    // digest of the value of another chain that it began from, which that had left behind
}

// knows tells whether a value is or was the chain's.
func (c *Chain) knows(d string) bool {
	return slices.Contains(c.Seen, d) || slices.Contains(c.Equivalents, d) || slices.Contains(c.Branches, d)
}

// heads tells whether a value is one that the chain goes on from.
func (c *Chain) heads(d string) bool {
	return d != "" && (d == digest(c.Value) || slices.Contains(c.Equivalents, d))
}

// stillAt tells whether the session is the same still as when this value was carried.
func (c *Chain) stillAt(d string) bool { return slices.Contains(c.Since, d) }

// since returns the values that were carried since the session last changed, once a call is answered. By
// a rule that does not say which calls change it, any may have.
func (c *Chain) since(rule *Rule, n Note) []string {
	switch {
	case n.Changes || n.Asked == "":
		return nil
	case len(rule.Flow.Changes) == 0:
		return []string{n.Asked}
	case slices.Contains(c.Since, n.Asked):
		return c.Since
	}
	return remember(slices.Clip(c.Since), n.Asked)
}

// peersAfter returns what is as good as the newest value once a call is answered: the values that
// others may be at work with, unless the session is another one since.
func (c *Chain) peersAfter(n Note) []string {
	if n.Changes && !n.Keeps {
		return nil
	}
	peers := slices.Clone(c.Equivalents)
	if d := digest(c.Value); d != "" && !slices.Contains(peers, d) {
		peers = append(peers, d)
	}
	if !n.Keeps { // after those the value from before is as good
		peers = slices.DeleteFunc(peers, func(d string) bool { return d == n.Asked })
	}
	return peers[max(0, len(peers)-maxDigests):]
}

// retire makes room for a newer value.
func (c *Chain) retire(keep int) {
	if c.Value != "" {
		c.Older = append(slices.Clip(c.Older), c.Value)
		c.Value = ""
	}
	c.Older = c.Older[max(0, len(c.Older)-keep+1):]
}

// equals notes an answer that is as good as the newest value.
func (c *Chain) equals(rule *Rule, n Note, value string) Decision {
	c.Equivalents, c.By = remember(slices.Clip(c.Equivalents), digest(value)), n.Agent
	return c.keepOlder(rule, value)
}

// prefers is equals for an answer that its agent is to go on from.
func (c *Chain) prefers(rule *Rule, n Note, value string) {
	if c.Value != "" {
		c.Equivalents = remember(slices.Clip(c.Equivalents), digest(c.Value))
	}
	c.retire(rule.keeps())
	c.Value, c.By = value, n.Agent
	c.Seen = remember(c.Seen, digest(value))
}

// waits tells whether the chain is a late answer that nobody has gone on from. No agent is given it.
func (c *Chain) waits() bool { return c.Aside != "" && c.Value == "" }

// claim makes the late answer that a chain began with its value: an agent has carried it, or one as good.
func (c *Chain) claim() {
	if !c.waits() {
		return
	}
	for i, v := range slices.Backward(c.Older) {
		if d := digest(v); slices.Contains(c.Equivalents, d) {
			c.Value, c.Older = v, slices.Delete(slices.Clone(c.Older), i, i+1)
			c.Equivalents = slices.DeleteFunc(slices.Clone(c.Equivalents), func(p string) bool { return p == d })
			return
		}
	}
}

// lost tells whether nobody can say what the chain goes on from.
func (c *Chain) lost() bool { return c.Value == "" && len(c.Equivalents) == 0 }

// supersede notes an answer that is not gone on from. It is one of the chain's older values from here on.
func (c *Chain) supersede(rule *Rule, value string) Decision {
	if d := digest(value); d != "" && !c.knows(d) {
		c.Branches = remember(c.Branches, d)
	}
	return c.keepOlder(rule, value)
}

func (c *Chain) keepOlder(rule *Rule, value string) Decision {
	if rule.Alias && value != "" { // the model is shown an alias of it
		c.Older = append(slices.Clip(c.Older), value)
		c.Older = c.Older[max(0, len(c.Older)-rule.keeps()+1):]
	}
	return passed
}

var passed = Decision{Action: Left, Why: "the chain has gone on since this call"}

// owns tells whether a value of that key can be the chain's.
func (c *Chain) owns(key string) bool { return c.Key == "" || key == "" || c.Key == key }
