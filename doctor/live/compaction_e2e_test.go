//go:build e2e

package live

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"wsi/harnesses"
)

// shows counts the lines of a list that name an id, and all occurrences of the id.
func shows(request []byte, id string) (list, all int) {
	return bytes.Count(request, []byte("- "+id+" (shop ")), bytes.Count(request, []byte(id))
}

// expect fails the test unless a request names an id so often in a list, and nowhere else.
func (c *shopSession) expect(what string, request []byte, id string, times int) {
	c.t.Helper()
	if list, all := shows(request, id); list != times || all != times {
		c.t.Errorf("%s: the id is %d times in a list and %d times in all, want %d", what, list, all, times)
	}
}

// occasions are when a harness compacts. Each conversation has three prompts: the first makes a basket and fills
// it, the others need no id. In between it is compacted.
var occasions = []struct {
	name             string
	before, in, hand bool // before a turn, in the middle of one, by a command
}{
	{name: "in a turn", in: true},
	{name: "before a turn", before: true},
	{name: "by command", hand: true},
}

// TestListAfterCompaction: what a conversation has lost, the model reads in the next request, and once in all
// later ones, also after another compaction. Without wsi it reads it nowhere.
func TestListAfterCompaction(t *testing.T) {
	for _, h := range compactingHarnesses {
		for _, o := range occasions {
			if h.full == 0 || o.hand && h.command == "" || o.before && h.id != "codex" {
				continue
			}
			for _, way := range append([]harnesses.Mode{""}, h.listed...) {
				t.Run(fmt.Sprintf("%s, %s, wired by %q", h.name(), o.name, way), func(t *testing.T) {
					t.Parallel()
					basket, item := newID(), newID()
					tokens := func(full bool) int {
						if full {
							return h.full
						}
						return 0
					}
					c := opens(t, h, func(c *shopSession) map[string][]says {
						return map[string][]says{
							"first":  {c.creates(basket), c.fills(basket), c.calls("list_items", nil, object{"item_id": item}, 0), c.ends(tokens(o.before))},
							"second": {c.looks(tokens(o.in)), c.looks(0), c.looks(tokens(o.in)), c.looks(0), c.ends(0)},
							"third":  {c.looks(0), c.ends(0)},
						}
					})
					times, compactions := 0, 1
					if way != "" {
						c.keepIDs(way)
						times = 1
					}
					if o.in {
						compactions = 2
					}
					c.works("first")
					if o.hand {
						c.prompts(h.command)
					}
					c.works("second")
					c.works("third")
					c.arrived()
					if n := c.model.compactions(); n != compactions {
						t.Fatalf("%d compactions, want %d", n, compactions)
					}
					later := slices.Concat(c.model.behind("second"), c.model.behind("third"))
					if len(later) < 4 {
						t.Fatalf("%d requests behind the compaction", len(later))
					}
					for i, request := range later {
						n := times
						if list, _ := shows(request, basket); h.late && list == 0 && c.model.fresh(request) {
							n = 0 // no call has a result yet
						}
						c.expect(fmt.Sprintf("request %d behind the compaction", i+1), request, basket, n)
						c.expect("what no call used", request, item, 0)
					}
				})
			}
		}
	}
}

// TestListOfSubAgent: a sub-agent that is compacted reads its own ids, and none of the agent that started it. That one
// reads no list.
func TestListOfSubAgent(t *testing.T) {
	for _, h := range compactingHarnesses {
		if h.full == 0 {
			continue
		}
		for _, way := range append([]harnesses.Mode{""}, h.listed...) {
			t.Run(fmt.Sprintf("%s, wired by %q", h.name(), way), func(t *testing.T) {
				t.Parallel()
				basket, own := newID(), newID()
				c := opens(t, h, func(c *shopSession) map[string][]says {
					return map[string][]says{
						"first": {c.creates(basket), c.fills(basket), c.spawns("sub"), c.looks(0), c.ends(0)},
						"sub":   {c.creates(own), c.fills(own), c.looks(h.full), c.looks(0), c.looks(0), c.ends(0)},
					}
				})
				times := 0
				if way != "" {
					c.keepIDs(way)
					times = 1
				}
				if !h.tellsAgents(way) {
					times = 0
				}
				c.works("first")
				c.arrived()
				sub := c.model.behind("sub")
				if c.model.compactions() != 1 || len(sub) < 2 {
					t.Fatalf("%d compactions, %d requests of the sub-agent behind it", c.model.compactions(), len(sub))
				}
				for i, request := range sub {
					n := times
					if list, _ := shows(request, own); list == 0 && c.model.fresh(request) && (h.late || h.id == "codex") {
						n = 0 // nothing can be said before the next result
					}
					c.expect(fmt.Sprintf("request %d of the sub-agent", i+1), request, own, n)
					c.expect("the other agent's id", request, basket, 0)
				}
				for _, request := range c.model.of("first") {
					if list, _ := shows(request, own); list > 0 {
						t.Error("the sub-agent's list is in a request of the main agent")
					}
					if list, _ := shows(request, basket); list > 0 {
						t.Error("the main agent reads a list without a compaction")
					}
				}
			})
		}
	}
}

// TestListAfterSubAgent: an agent that is compacted after its sub-agent has ended reads its own ids.
func TestListAfterSubAgent(t *testing.T) {
	for _, h := range compactingHarnesses {
		if h.full == 0 {
			continue
		}
		for _, way := range h.listed {
			t.Run(fmt.Sprintf("%s, wired by %q", h.name(), way), func(t *testing.T) {
				t.Parallel()
				basket, own := newID(), newID()
				c := opens(t, h, func(c *shopSession) map[string][]says {
					return map[string][]says{
						"first": {c.creates(basket), c.fills(basket), c.spawns("sub"), c.looks(h.full), c.looks(0), c.ends(0)},
						"sub":   {c.creates(own), c.fills(own), c.ends(0)},
					}
				})
				c.keepIDs(way)
				c.works("first")
				c.arrived()
				behind := c.model.behind("first")
				if c.model.compactions() != 1 || len(behind) == 0 {
					t.Fatalf("%d compactions, %d requests behind it", c.model.compactions(), len(behind))
				}
				times := 1
				if !h.tellsAgents(way) {
					times = 0
				}
				for i, request := range behind {
					n := times
					if list, _ := shows(request, basket); list == 0 && h.late && c.model.fresh(request) {
						n = 0
					}
					c.expect(fmt.Sprintf("request %d", i+1), request, basket, n)
					c.expect("the sub-agent's id", request, own, 0)
				}
			})
		}
	}
}

// TestHintAfterFailure: behind a call that failed with a mistyped id the model reads which one it may have meant. It
// reads nothing behind a good call, nor behind one that failed with a right id.
func TestHintAfterFailure(t *testing.T) {
	for _, h := range compactingHarnesses {
		for _, way := range append([]harnesses.Mode{""}, h.told...) {
			t.Run(fmt.Sprintf("%s, wired by %q", h.name(), way), func(t *testing.T) {
				t.Parallel()
				basket, other := newID(), newID()
				c := opens(t, h, func(c *shopSession) map[string][]says {
					return map[string][]says{"first": {
						c.creates(basket), c.creates(other), c.fills(basket), c.fails(basket), c.fails(mistyped(basket)), c.looks(0), c.ends(0),
					}}
				})
				if way != "" {
					c.keepIDs(way)
				}
				c.works("first")
				c.arrived()
				requests := c.model.of("first")
				if len(requests) != 7 {
					t.Fatalf("%d requests", len(requests))
				}
				// Qwen Code shows its model each error twice.
				shown := bytes.Count(requests[5], []byte(refused)) - bytes.Count(requests[4], []byte(refused))
				if shown < 1 {
					t.Fatal("the model does not read the error")
				}
				for i, request := range requests {
					want := 0
					if way != "" && i >= 5 { // behind the mistyped one
						want = shown
					}
					if n := bytes.Count(request, []byte("1 place from "+basket)); n != want {
						t.Errorf("request %d has %d hints, want %d", i+1, n, want)
					}
					if n := bytes.Count(request, []byte("wsi: ")); n != want {
						t.Errorf("wsi says %d things in request %d, want %d", n, i+1, want)
					}
				}
			})
		}
	}
}

// mistyped changes one digit of an id.
func mistyped(id string) string {
	b := []byte(id)
	if b[3]++; b[3] == 'g' || b[3] == ':' {
		b[3] = '1'
	}
	return string(b)
}
