package ruleset

import (
	"regexp"
	"slices"
	"sync"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// failed is why a result is left alone if its call failed for a value that no rule carries.
const failed = "the call failed, because the server requires a value that no rule carries to this tool"

// requires matches what the libraries of servers say if an argument is missing (zod, pydantic, ajv, jsonschema), and a server
// itself about an argument with a name of several words.
var requires = sync.OnceValue(func() *regexp.Regexp { // not compiled at start, which would slow down every hook
	return regexp.MustCompile(`(?i)"message": ?"required"|received undefined|: required\b|field required|missing required|required propert|missing propert|[a-z]_[a-z_]+["'\x60]? is required`)
})

// lacks reports whether a call failed, as the server says, because it lacks a value, and no rule of the server gives the tool
// one. d is the decision about its result.
func (c Collections) lacks(tool string, result carry.Result, d carry.Decision) bool {
	if !result.Error || d.Action != "" && d.Action != carry.Left {
		return false
	}
	takes := func(r carry.Rule) bool { return r.Takes(tool) != "" }
	names := func(r carry.Rule) bool { return r.Knows(tool) }
	if d.Action == carry.Left && d.Relevance() != carry.Unnamed && (slices.ContainsFunc(c.all, takes) || !slices.ContainsFunc(c.all, names)) {
		return false // a rule gives it one, or has taken the tool
	}
	return slices.ContainsFunc(result.Blocks, func(b carry.Block) bool {
		const most = 64 << 10
		text, _ := jsonraw.Unquote(b.Text) // "" if it is not a string
		return requires().MatchString(text[:min(len(text), most)])
	})
}
