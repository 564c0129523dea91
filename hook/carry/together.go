package carry

import (
	"slices"
	"strings"

	"wsi/internal/jsonraw"
)

// Together says which arguments of a call must all have the values of one result. It is for servers that hand out
// several values at once, take them all back, and act on whatever they get.
type Together struct {
	Tools   Tools
	By      []Path // arguments, each of which alone says which result is meant
	Applies Path   // an argument that is false if the call only cleans up: then only the arguments in By count
	Values  []Part
}

// Part is an argument of Together, and where its value is in the result.
type Part struct {
	Argument Path
	From     Source
}

// Shown is what a result showed for a Part. The value itself is not kept, because it may be long or a statement.
type Shown struct {
	Argument Path   `json:"argument"`
	Digest   string `json:"digest"`
}

// shown returns what a result, and the call that it answers, show for each part together with a value. A part that
// has no value there, or more than one, is left out. args are nil if they are not known.
func (t *Together) shown(v *view, args []byte, value string) (all []Shown) {
	for _, part := range t.Values {
		var found []string
		switch part.From.Kind {
		case Self:
			found = []string{value}
		case Given:
			found = part.From.Path.strings(args)
		default:
			for s := range v.strings(part.From) {
				if found = append(found, s); len(found) > maxEach {
					break
				}
			}
		}
		slices.Sort(found)
		if found = slices.Compact(found); len(found) == 1 {
			all = append(all, Shown{part.Argument, trimmed(found[0])})
		}
	}
	return all
}

// trimmed returns the digest of a value without the white space around it, which no server's value has a meaning in.
func trimmed(value string) string { return digest(strings.TrimSpace(value)) }

func (r *Rule) checks(tool string) bool { return r.includes(r.Together.Tools, tool) }

// together denies a call with values of different results. It says nothing about a call that names no result it
// has seen: the values may come from elsewhere.
func (b *before) together() (d Decision, done bool) {
	t := &b.rule.Together
	if !b.rule.checks(b.call.Tool) {
		return d, false
	}
	named, c := b.named()
	if c == nil {
		return d, false
	}
	cleansUp := t.Applies != "" && string(b.at(t.Applies)) == "false"
	for _, part := range c.Shown {
		if given := b.given(part.Argument); given == "" || given == part.Digest || cleansUp && !slices.Contains(t.By, part.Argument) {
			continue
		}
		d := Decision{Action: Denied, Why: string(part.Argument) + " is not of the same result as " + string(named), Carries: true}
		from := "the same result"
		again := "get new ones"
		if len(b.rule.Capture.Tools) == 1 && b.rule.Capture.Tools[0] != "*" {
			from, again = b.rule.Capture.Tools[0], "call "+b.rule.Capture.Tools[0]+" again"
		}
		d.ModelNotice = string(part.Argument) + " is not the one that " + from + " returned with this " + string(named) +
			"; pass every value of that result exactly as it is there, or " + again
		return d, true
	}
	return d, false
}

// named returns the chain of the result that a call means, and the argument that names it; nil if none does.
func (b *before) named() (argument Path, c *Chain) {
	for _, argument := range b.rule.Together.By {
		given := b.given(argument)
		if given == "" {
			continue
		}
		var found *Chain
		for i := range b.state.Chains {
			c := &b.state.Chains[i]
			if c.Server != b.rule.Server || !slices.Contains(c.Shown, Shown{argument, given}) {
				continue
			}
			if found != nil { // two results with the same value: it names neither
				found = nil
				break
			}
			found = c
		}
		if found != nil {
			return argument, found
		}
	}
	return "", nil
}

// given returns the digest of the value of an argument, "" if the call has none that is a string.
func (b *before) given(argument Path) string {
	s, _ := jsonraw.Unquote(b.at(argument))
	return trimmed(s)
}
