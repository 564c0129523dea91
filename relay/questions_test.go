package relay

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// told waits until the client has got a message with this text that answers nothing, and returns the message.
func (c *client) told(text string) (line string) {
	c.t.Helper()
	c.until("the client got "+text, func() bool {
		c.await("none", 10*time.Millisecond)
		for _, line = range c.other {
			if strings.Contains(line, text) {
				return true
			}
		}
		return false
	})
	return line
}

// What a server has asked is cancelled when it ends, because no process takes the answer.
func TestQuestionOfAServerThatEnds(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.request("ask", `77`)
	c.told(`"method":"roots/list"`)
	c.die()
	c.told(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77,"reason":"the server ended"}}`)
}

// The next process asks with the same id. What the client answers to the first process does not reach it, and what the client
// answers to it reaches it under its own id.
func TestQuestionWithTheIDOfADeadOne(t *testing.T) {
	for _, id := range []string{`77`, `"a question"`} {
		w := newWorld(t)
		c := w.connect()
		c.greet()
		c.request("ask", id)
		c.told(`"method":"roots/list"`)
		c.die()
		c.told(`notifications/cancelled`)
		c.other = nil
		asks := c.request("ask", id)
		var second struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(c.told(`"method":"roots/list"`)), &second); err != nil || string(second.ID) == id {
			t.Fatalf("the client is asked again with the id %s", second.ID)
		}
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"roots":"of the first"}}`)
		c.answer(c.request("ping", `{}`))
		if strings.Contains(w.arrived(), "of the first") {
			t.Error("the answer to a dead process reached the next one")
		}
		c.send(`{"jsonrpc":"2.0","id":` + string(second.ID) + `,"result":{"roots":"of the second"}}`)
		if got := c.answer(asks); !strings.Contains(got, `"id":`+id+`,"result":{"roots":"of the second"}`) {
			t.Error(got)
		}
	}
}

// A process that takes its question back names it by its own id; the client knows it by another.
func TestQuestionTakenBack(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.die()
	c.request("ask", `5`)
	var asked struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(c.told(`"method":"roots/list"`)), &asked); err != nil {
		t.Fatal(err)
	}
	c.request("say", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	c.told(`"params":{"requestId":` + string(asked.ID) + `}`)
	c.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"roots":"too late"}}`)
	c.answer(c.request("ping", `{}`))
	if strings.Contains(w.arrived(), "too late") {
		t.Error("the answer reached the server")
	}
}
