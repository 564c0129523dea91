package carry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func aliasRule() *Rule {
	return &Rule{
		Server: "s", Name: "r", Scope: "agent", Alias: true,
		Capture: Capture{From: []Source{{Kind: JSON, Path: "token"}}, Tools: Tools{"*"}},
		Flow:    Flow{Opens: Tools{"open"}},
		Inject:  []Inject{{Tools: Tools{"next"}, Argument: "token", When: "placeholder", Choose: "only"}},
	}
}

func kept(values ...string) *State {
	s := new(State)
	for i, v := range values {
		s.Chains = append(s.Chains, Chain{ID: i, Server: "s", Value: v})
	}
	return s
}

func TestHideTheLongest(t *testing.T) {
	long := "head-" + strings.Repeat("v", 40) + "-tail"
	all := []string{long, long[:45], long[5:], long[5:45]}
	for _, s := range []*State{kept(all...), kept(all[3], all[2], all[1], all[0])} {
		in := fmt.Sprintf("%q %q %q %q %q", long, long[:45], long[5:], long[5:45], long[:20])
		want := fmt.Sprintf("%q %q %q %q %q", Alias(long), Alias(long[:45]), Alias(long[5:]), Alias(long[5:45]), long[:20])
		if got := string(Hide(aliasRule(), s, []byte(in))); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// PHP escapes slashes, .NET plus signs, and a text may be JSON within JSON within an event.
func TestHideWhatIsEscaped(t *testing.T) {
	v := strings.Repeat("ab/c+", 10) + "."
	s, a := kept(v), Alias(v)
	slash, plus := strings.ReplaceAll(v, "/", `\/`), strings.ReplaceAll(v, "+", `\u002B`)
	for in, want := range map[string]string{
		`"` + slash + `"`:           `"` + a + `"`,
		`"` + plus + `" "\u00e9\/"`: `"` + a + `" "\u00e9\/"`,
		`"{\"token\":\"` + strings.ReplaceAll(slash, `\`, `\\`) + `\"}"`:    `"{\"token\":\"` + a + `\"}"`,
		`"{\"token\":\"` + strings.ReplaceAll(plus, `\`, `\\\\`) + `\"}\\"`: `"{\"token\":\"` + a + `\"}\\"`,
		`"\u00` + v + `\u0`: `"\u00` + a + `\u0`,
		`"\\\/` + v + `\`:   `"\\\/` + a + `\`,
	} {
		if got := string(Hide(aliasRule(), s, []byte(in))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func TestHideIsQuickWithAllThatIsKept(t *testing.T) {
	s := new(State)
	for i := range maxChains {
		c := Chain{ID: i, Server: "s", Value: fmt.Sprintf("eyJ3ZiI6%0400d", i)}
		for k := range 31 {
			c.Older = append(c.Older, fmt.Sprintf("eyJ3ZiI6%0400d", i*100+k+1000))
		}
		s.Chains = append(s.Chains, c)
	}
	for _, text := range []string{
		strings.Repeat("eyJ3ZiI5", 1<<17), strings.Repeat("hello world, ", 1<<20/13), strings.Repeat("0", 1<<20),
		strings.Repeat(`\`, 1<<20) + `\/`, strings.Repeat(s.Chains[0].Value, 1<<20/408),
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 5 { // what a machine as busy as this one takes to look at the text so often
			json.Valid(quoted)
		}
		plain := time.Since(start)
		start = time.Now()
		Hide(aliasRule(), s, []byte(text))
		if took := time.Since(start); took > time.Second+4*plain {
			t.Errorf("%.10s...: %s, plainly %s", text, took, plain)
		}
		t.Logf("%.10s...: %s, plainly %s", text, time.Since(start), plain)
	}
}
