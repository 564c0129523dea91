package carry

import "wsi/internal/rawjson"

// Agreement is how a value that the model gave compares with the values of a rule.
type Agreement int

// The outcomes of Compare.
const (
	NotGiven Agreement = iota // the call has no value where the rule acts
	NotKnown                  // it has one, and the rule has none to compare it with
	Agrees                    // it is the value that the rule would have injected, or one that it knows
	Outdated                  // it is an older value of a chain, and the rule would have injected a newer one
	Differs                   // the rule would have injected another value
)

// Compare compares what the model gave in a call with what [Before] would have injected if the model had left it
// out. Where the rule injects nothing, it looks for the values that the rule knows. Like Before it does not change
// the state.
func Compare(rule *Rule, state *State, call Call) Agreement {
	if in := rule.injectionFor(call.Tool); in != nil {
		if raw := in.Argument.in(call.Args); raw != nil && !isPlaceholder(raw) {
			given, isString := rawjson.Unquote(raw)
			call := call
			call.Args = in.Argument.set(call.Args, []byte("null"), false)
			switch d := Before(rule, state, call); {
			case d.Action != Injected:
			case isString && given == d.Change.Value:
				return Agrees
			case isString && state.newerThan(rule.Server, digest(given)) > 0:
				return Outdated
			default:
				return Differs
			}
		}
	}
	return compareKnown(&before{rule: rule, state: state, call: call})
}

// compareKnown looks for values that the rule knows.
func compareKnown(b *before) Agreement {
	if b.rule.checks(b.call.Tool) {
		if _, c := b.named(); c != nil {
			return Agrees
		}
	}
	found := NotGiven
	for _, a := range b.arguments() {
		value := valueAt(b.call.Args, a.path)
		switch {
		case value == "":
		case b.state.chainWith(b.rule.Server, digest(value)) != nil:
			return Agrees
		default:
			found = NotKnown
		}
	}
	return found
}
