package relay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/hook/handlestore"
	"wsi/hook/journal"
	"wsi/hook/vault"
)

const basket, order = "550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// serveShop is a server of the official SDK that no rule is for. It makes a basket and an order, and takes no other
// ids; pay answers with an error of the protocol.
func serveShop() {
	type ids struct {
		Basket string `json:"basket_id,omitempty"`
		Order  string `json:"order_id,omitempty"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	add := func(name string, do func(ids) (ids, error)) {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, in ids) (*mcp.CallToolResult, ids, error) {
			out, err := do(in)
			return nil, out, err
		})
	}
	add("create_basket", func(ids) (ids, error) { return ids{Basket: basket}, nil })
	add("create_order", func(ids) (ids, error) { return ids{Order: order}, nil })
	add("add", func(in ids) (ids, error) {
		if in.Basket != basket {
			return ids{}, errors.New("permission denied for " + in.Basket)
		}
		return ids{}, nil
	})
	add("pay", func(in ids) (ids, error) {
		return ids{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no basket " + in.Basket}
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // its end is the client's
	os.Exit(0)
}

// shop is a relay of Codex in front of the shop, with its ids kept.
func (w *world) shop() *client {
	w.t.Helper()
	return w.shopOf("codex")
}

func (w *world) shopOf(harness string) *client {
	w.t.Helper()
	w.opt.Server, w.opt.Harness, w.opt.Command, w.opt.Handles = "shop", harness, []string{self(w.t), "as-shop-server"}, true
	c := w.connect()
	c.answer(c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

const main, helper = `"sessionId":"s","threadId":"s"`, `"sessionId":"s","threadId":"t"`

func TestHintInAnError(t *testing.T) {
	w := newWorld(t)
	c := w.shop()
	c.do("create_basket", ``, main)
	c.do("create_order", ``, main)
	typed := strings.Replace(basket, "5", "6", 1)
	hint := "wsi: the basket_id you passed is not one that shop returned; it differs in 1 place from " + basket + " (create_basket, 2 calls ago)"
	for _, k := range []struct {
		what, tool, args, meta string
		hints                  bool
	}{
		{"the id is right", "add", `"basket_id":"` + basket + `"`, main, false},
		{"it is mistyped", "add", `"basket_id":"` + typed + `"`, main, true},
		{"an error of the protocol", "pay", `"basket_id":"` + typed + `"`, main, true},
		{"the id is right, the call fails", "pay", `"basket_id":"` + basket + `"`, main, false},
		{"a sub-agent that never saw it", "add", `"basket_id":"` + typed + `"`, helper, false},
		{"it is not known who calls", "add", `"basket_id":"` + typed + `"`, ``, false},
	} {
		got := c.do(k.tool, k.args, k.meta)
		if strings.Contains(got, "is not one that shop returned") != k.hints {
			t.Errorf("%s: %s", k.what, got)
		}
		if k.hints && !strings.Contains(got, strings.Split(hint, "(")[0]) {
			t.Errorf("%s: %s", k.what, got)
		}
		if strings.Contains(k.what, "mistyped") && !strings.Contains(got, "permission denied for "+typed) {
			t.Errorf("the server's own words are gone: %s", got)
		}
	}
	c.close()
	told := 0
	for _, e := range w.journal() {
		if e.Did == journal.Told {
			told++
		}
		if e.Who != "relay" || e.Verb != "capture" || e.Did != journal.Told && e.Did != journal.Kept {
			t.Errorf("journal: %+v", e)
		}
	}
	if told != 2 {
		t.Errorf("the journal has %d hints", told)
	}
}

// The list is in the first result after a compaction, once, and only the agent's own ids are in it.
func TestListAfterACompaction(t *testing.T) {
	w := newWorld(t)
	c := w.shop()
	c.do("create_basket", ``, main)
	c.do("create_order", ``, helper)
	if err := handlestore.In(w.opt.State).MarkCompacted(vault.SessionKey("codex", "s"), ""); err != nil {
		t.Fatal(err)
	}
	if got := c.do("create_order", ``, helper); strings.Contains(got, "ids seen earlier") {
		t.Errorf("a sub-agent was told of the main agent's compaction: %s", got)
	}
	got := c.do("add", `"basket_id":"`+basket+`"`, main)
	if strings.Count(got, "ids seen earlier") != 1 || !strings.Contains(got, basket+" (shop create_basket, basket_id)") || strings.Contains(got, order) {
		t.Error(got)
	}
	if got := c.do("add", `"basket_id":"`+basket+`"`, main); strings.Contains(got, "ids seen earlier") {
		t.Errorf("told twice: %s", got)
	}
}

// Where a value is shown as an alias, the list has the alias, and the value is nowhere.
func TestListHasAliases(t *testing.T) {
	w := newWorld(t)
	w.opt.Rules = filepath.Join(w.dir, "rules.toml")
	rule := `[[carry]]
name = "basket"
servers = ["shop"]
[carry.capture]
from = ["json:basket_id"]
tools = ["create_basket"]
[[carry.inject]]
tools = ["add"]
argument = "basket_id"
[carry.alias]
mode = "on"
`
	if err := os.WriteFile(w.opt.Rules, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.shop()
	c.do("create_basket", ``, main)
	c.do("create_order", ``, main)
	if err := handlestore.In(w.opt.State).MarkCompacted(vault.SessionKey("codex", "s"), ""); err != nil {
		t.Fatal(err)
	}
	got := c.do("add", ``, main)
	if !strings.Contains(got, "ids seen earlier") || !strings.Contains(got, "- wsi:") || !strings.Contains(got, order) || strings.Contains(got, basket) {
		t.Error(got)
	}
}

// A relay that is not told which agent calls says nothing in a session with two: the ids may be the other's.
func TestNothingIsToldOfSharedIDs(t *testing.T) {
	for _, shared := range []bool{false, true} {
		w := newWorld(t)
		w.env["QWEN_CODE_SESSION_ID"] = "s"
		c := w.shopOf("qwen-code")
		c.do("create_basket", ``, ``)
		c.do("create_order", ``, ``)
		store, key := handlestore.In(w.opt.State), vault.SessionKey("qwen-code", "s")
		if shared {
			if err := store.MarkShared(key); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.MarkCompacted(key, ""); err != nil {
			t.Fatal(err)
		}
		hint := c.do("pay", `"basket_id":"`+strings.Replace(basket, "5", "6", 1)+`"`, ``)
		list := c.do("create_order", ``, ``)
		if strings.Contains(hint, "is not one that shop returned") == shared || strings.Contains(list, "ids seen earlier") == shared {
			t.Errorf("shared: %t\n%s\n%s", shared, hint, list)
		}
		if session, err := store.Load(key); err != nil || session.Calls() != 4 {
			t.Errorf("%d calls are kept, %v", session.Calls(), err)
		}
	}
}

// Without --handles nothing is kept; with a rule file that has an error neither, because a rule may keep a value secret.
func TestNoIDsAreKept(t *testing.T) {
	for _, broken := range []bool{false, true} {
		w := newWorld(t)
		w.opt.Rules = filepath.Join(w.dir, "rules.toml")
		if broken {
			if err := os.WriteFile(w.opt.Rules, []byte("[[carry]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := w.shop()
		w.opt.Handles = broken
		if !broken {
			c.close()
			c = w.connect()
		}
		c.do("create_basket", ``, main)
		if session, err := handlestore.In(w.opt.State).Load(vault.SessionKey("codex", "s")); err != nil || session.Calls() > 0 {
			t.Errorf("broken: %t: %d calls, %v", broken, session.Calls(), err)
		}
	}
}
