package carry

import (
	"fmt"
	"slices"

	"wsi/internal/jsonraw"
)

// Collect says which values of results are kept, all of them and in order, and which argument takes them together.
type Collect struct {
	From     []Source `from:"meta structured json text"`   // tried in this order
	Key      []Source `from:"inside meta structured json"` // names the collection of a value; empty if the server has one for each session
	Tools    Tools    // tools with results that have a value
	Into     Tools    // tools that take the collection
	Argument Path     // of these tools: an array of strings
	By       []Path   // of these tools: the arguments that name the collection, by what Key says; none without Key
}

// Collected is a value for a collection.
type Collected struct {
	Key   string // names the collection, "" without Collect.Key
	Value string
}

// MaxCollected bounds a value of a collection, in bytes. A trace token of workflow-server (cd11b63f) has about 340
// bytes for each event since the last one.
const MaxCollected = 256 << 10

// Collects reports whether results of the tool have values for a collection.
func (r *Rule) Collects(tool string) bool {
	return len(r.Collect.From) > 0 && r.includes(r.Collect.Tools, tool)
}

// Gathers reports whether the tool takes a collection.
func (r *Rule) Gathers(tool string) bool {
	return len(r.Collect.From) > 0 && r.includes(r.Collect.Into, tool)
}

// Take returns the values of a call's result that belong to a collection. If a value cannot be kept, why is the
// reason.
func Take(rule *Rule, call Call, result Result) (all []Collected, why string) {
	if !rule.Collects(call.Tool) || result.Error {
		return nil, ""
	}
	v := newView(result)
	for _, from := range rule.Collect.From {
		for value := range v.strings(from) {
			switch key := v.name(rule.Collect.Key, value); {
			case len(value) > MaxCollected:
				why = "a value is too long to be kept"
			case !isGraphic(value) || !rule.Shape.Matches(value):
				why = "a value does not have the form that the rule says"
			case key == "" && len(rule.Collect.Key) > 0:
				why = "a value does not say what it belongs to"
			case len(all) < maxEach:
				all = append(all, Collected{key, value})
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all, why
}

// Gather puts a collection into the call of a tool that takes it. Values that the call has already and that are not
// in the collection stay, before the others. kept returns the values of a collection in order; it is called at most
// once.
func Gather(rule *Rule, call Call, kept func(key string) ([]string, error)) (Decision, error) {
	c := &rule.Collect
	if !rule.Gathers(call.Tool) {
		return leftFinally(TakesNone), nil
	}
	if why := HandsOff(call.Tool, string(c.Argument), call.Args); why != "" {
		return leftFinally(why), nil
	}
	if call.Lacks != nil && call.Lacks(string(c.Argument)) {
		return leftFinally("the tool has no " + string(c.Argument)), nil
	}
	key := c.collection(call.Args)
	if len(c.By) > 0 && key == "" {
		return left("the call does not say whose values it takes"), nil
	}
	typed, ok := typedList(c.Argument.in(call.Args))
	if !ok {
		return left(string(c.Argument) + " is not a list of texts"), nil
	}
	values, err := kept(key)
	switch {
	case err != nil:
		return Decision{}, err
	case len(values) == 0:
		return left("no value is kept for this call"), nil
	}
	all := slices.DeleteFunc(slices.Clone(typed), func(s string) bool { return slices.Contains(values, s) })
	fit := fitting(values, call.Room)
	all = append(all, fit...)
	if slices.Equal(all, typed) || len(fit) == 0 {
		return Decision{Action: Left, Why: "the call has all values that are kept", Carries: true}, nil
	}
	args := c.Argument.set(call.Args, jsonraw.Quote(all))
	if args == nil {
		return left("the object around the argument is missing"), nil
	}
	d := Decision{Action: Gathered, Gathered: len(fit), Carries: true, Change: c.Argument.change(args, "")}
	if left := len(values) - len(fit); left > 0 {
		d.Why = fmt.Sprintf("the oldest %d values are left out, because the server takes no larger request", left)
	}
	return d, nil
}

// collection returns the name of the collection that a call takes, "" if no argument has it. An argument has the name as its
// value or, if it can be decoded as the results' values can, inside.
func (c *Collect) collection(args []byte) string {
	inside := slices.ContainsFunc(c.Key, func(s Source) bool { return s.Kind == InsideOf })
	for _, argument := range c.By {
		name := valueAt(args, argument)
		if _, decodes := Decode(name); inside && decodes {
			name = newView(Result{}).name(c.Key, name)
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// fitting returns the newest values that fit into so many bytes, all if room is 0.
func fitting(values []string, room int) []string {
	if room == 0 {
		return values
	}
	from, size := len(values), 0
	for from > 0 && size+len(values[from-1])+len(`"",`) <= room {
		from--
		size += len(values[from]) + len(`"",`)
	}
	return values[from:]
}

// typedList returns the texts of a list in a call, without placeholders; ok is false if it is something else. A
// missing list, null and a placeholder are empty lists.
func typedList(raw []byte) (typed []string, ok bool) {
	if raw == nil || isPlaceholder(raw) {
		return nil, true
	}
	elements, err := jsonraw.Array(raw)
	if err != nil {
		return nil, false
	}
	for _, e := range elements {
		s, ok := jsonraw.Unquote(e)
		if !ok {
			return nil, false
		}
		if !isPlaceholderText(s) {
			typed = append(typed, s)
		}
	}
	return typed, true
}
