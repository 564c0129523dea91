package carry

import (
	"fmt"
	"testing"
)

func shows(value string) Result {
	return Result{Blocks: []Block{{Text: []byte(fmt.Sprintf("%q", fmt.Sprintf(`{"token":%q}`, value)))}}}
}

// An agent that calls with one old value for ever does not make the session's file grow for ever.
func TestPassedOverValuesAreBounded(t *testing.T) {
	rule, s := aliasRule(), new(State)
	v := func(n int) string { return fmt.Sprintf("value-%040d", n) }
	old := Call{Tool: "next", Args: []byte(`{"token":"` + v(0) + `"}`)}
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v(0)))
	for i := range 500 {
		After(rule, s, old, shows(v(1+i)))
	}
	c := s.Chains[len(s.Chains)-1]
	if len(s.Chains) != 1 || c.Value != v(1) || len(c.Older)+1 != rule.maxKept() {
		t.Errorf("%d chains, the newest is %s, %d values kept", len(s.Chains), c.Value, len(c.Older)+1)
	}
	if s.Aliased("s", Alias(v(500))) == "" {
		t.Error("the alias that was shown last is unknown")
	}
}

// A server may write its values as wsi writes aliases. One that it has issued is its own.
func TestValueThatLooksLikeAnAlias(t *testing.T) {
	for _, v := range []string{"wsi:" + fmt.Sprintf("%040d", 1), "WSI:" + fmt.Sprintf("%040d", 2)} {
		rule, s := aliasRule(), new(State)
		After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v))
		if d := Before(rule, s, Call{Tool: "next", Args: []byte(`{"token":"` + v + `"}`)}); d.Action != Left {
			t.Errorf("%s: %s, %s", v, d.Action, d.Why)
		}
	}
}

// A server that was sent an alias in an argument of no rule's may echo it. It is not a value.
func TestAliasThatIsToldBack(t *testing.T) {
	rule, s := aliasRule(), new(State)
	rule.Shape = `^[a-z0-9:-]{8,}$`
	v := fmt.Sprintf("value-%040d", 1)
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v))
	if d := After(rule, s, Call{Tool: "next", Args: []byte("{}")}, shows(Alias(v))); d.Action == Captured {
		t.Errorf("%s is a value", d.Value)
	}
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Change.Value != v {
		t.Errorf("put %q into the call", d.Change.Value)
	}
}
