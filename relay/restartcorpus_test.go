package relay

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// With a server that is killed at random between messages, every request of the client arrives once, byte for byte and in
// order, and has one answer. So does what the server says, but for the id of a question of a later process.
func TestMessagesPassWithRestarts(t *testing.T) {
	old := maxFailures
	maxFailures = 1 << 20
	t.Cleanup(func() { maxFailures = old })
	w := newWorld(t)
	c := w.connect()
	c.greet()
	lines := []string{
		`{"jsonrpc":"2.0","id":"r%d","method":"server/discover","params":{"_meta":{"a":1}}}`,
		` { "method" : "x/spaced" , "id" : "r%d" , "jsonrpc" : "2.0" } `,
		`{"jsonrpc":"2.0","id":"r%d","method":"resources/read","params":{"uri":"file:///a\/b\u0041"}}`,
		`{"jsonrpc":"2.0","id":"r%d","method":"x/unknown","params":[1, 2.00, "\ud83d\ude00"]}`,
		`{"jsonrpc":"2.0","id":"r%d","method":"tools/call","params":{ "name" : "health_check", "arguments":{"note":[1.0,{"b":2,"a":"\u00e9"}], "note":null} } }`,
		`{"jsonrpc":"2.0","id":"r%d","method":"tools/call","params":{"name":"health_check"}}`,
		`{"jsonrpc":"2.0","id":"r%d","method":"say","params":{"jsonrpc":"2.0","method":"notifications/message","params":{"n":%[1]d, "data":1.00, "a":"\u0041\/"}}}`,
		`{"jsonrpc":"2.0","id":"r%d","method":"say","params":{"jsonrpc":"2.0","id":"s%[1]d","method":"sampling/createMessage","params":{ }}}`,
	}
	rounds, kills := 12, 0
	if slow {
		rounds = 3
	}
	var asked, said []string
	for n := range rounds * len(lines) {
		if rand.IntN(3) == 0 {
			c.die()
			kills++
		}
		line := fmt.Sprintf(lines[n%len(lines)], n)
		asked = append(asked, line)
		c.send(line)
		if strings.Contains(line, `"say"`) { // it has no answer but what it says
			_, message, _ := strings.Cut(line, `"params":`)
			said = append(said, message[:len(message)-1])
			w.until("the server said it", func() bool {
				c.await("none", 1)
				c.other = slices.DeleteFunc(c.other, func(line string) bool { return strings.Contains(line, "notifications/cancelled") })
				return len(c.other) == len(said)
			})
			continue
		}
		if got := c.answer(fmt.Sprintf(`"r%d"`, n)); strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", line, got)
		}
	}
	ids := regexp.MustCompile(`"id":"(s|wsi-relay-)[0-9]+"`)
	for i := range said {
		if got, want := ids.ReplaceAllString(c.other[i], ""), ids.ReplaceAllString(said[i], ""); got != want {
			t.Errorf("the server said %q, want %q", got, want)
		}
	}
	var arrived []string
	for line := range strings.Lines(w.arrived()) {
		if strings.Contains(line, `"r`) && !strings.Contains(line, "wsi-relay-") {
			arrived = append(arrived, strings.TrimSuffix(line, "\n"))
		}
	}
	if !slices.Equal(arrived, asked) {
		t.Errorf("%d arrived of %d: %q, want %q", len(arrived), len(asked), arrived, asked)
	}
	t.Logf("%d messages, %d kills", len(asked), kills)
}
