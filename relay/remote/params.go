package remote

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wsi/internal/endpoint"
	"wsi/internal/jsonraw"
)

// paramHeaders maps each tool to the arguments that its calls repeat in headers, because they have x-mcp-header
// in the tool's schema (2026-07-28, SEP-2243).
type paramHeaders map[string][]paramHeader

type paramHeader struct {
	path []string // of the argument
	name string   // after Mcp-Param-
}

const maxSchemaDepth = 16

// learn stores the headers of all tools in a result of tools/list. It returns the tools that the client may see: a client
// over HTTP must leave out those with an invalid x-mcp-header. It calls bad with the name of each of these, and why.
func (p paramHeaders) learn(tools [][]byte, bad func(name, why string)) (kept [][]byte) {
	for _, raw := range tools {
		tool := jsonraw.In(raw)
		name := tool.String("name")
		var s schemaScan
		s.visit(tool.Get("inputSchema"), nil)
		switch {
		case s.fault != "":
			bad(name, s.fault)
			continue
		case len(s.found) == 0:
			delete(p, name)
		default:
			p[name] = s.found
		}
		kept = append(kept, raw)
	}
	return kept
}

type schemaScan struct {
	found []paramHeader
	fault string // the first declaration that is not valid, "" for none
}

const declaration = "x-mcp-header"

// declares matches a declaration in raw JSON.
var declares = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"` + declaration + `"\s*:`) })

// visit scans a schema that is reached through properties alone, as only the schema of an argument with a header may be.
func (s *schemaScan) visit(schema []byte, path []string) {
	members := jsonraw.In(schema) // none for true and false, which are schemas, too
	if len(path) >= maxSchemaDepth {
		if declares().Match(schema) {
			s.fail("it is nested too deeply")
		}
		return
	}
	if _, declares := members.Find(declaration); declares {
		s.declare(members, path)
	}
	for _, m := range members {
		if m.Is("properties") {
			for _, p := range jsonraw.In(m.Value) {
				name, _ := jsonraw.Unquote(p.Key)
				s.visit(p.Value, append(slices.Clip(path), name))
			}
		} else if declares().Match(m.Value) {
			s.fail(notAnArgument)
		}
	}
}

const notAnArgument = "only an argument or a member of one can have it"

func (s *schemaScan) declare(schema jsonraw.Members, path []string) {
	header, text := jsonraw.Unquote(schema.Get(declaration))
	kind := schema.String("type")
	switch {
	case len(path) == 0:
		s.fail(notAnArgument)
	case !text || header == "":
		s.fail("it names no header")
	case strings.ContainsFunc(header, endpoint.NotInToken):
		s.fail(fmt.Sprintf("%q cannot be the name of a header", header))
	case kind != "string" && kind != "integer" && kind != "boolean":
		s.fail("only a string, an integer or a boolean can have a header")
	case slices.ContainsFunc(s.found, func(h paramHeader) bool { return strings.EqualFold(h.name, header) }):
		s.fail(fmt.Sprintf("two arguments have the header %q", header))
	}
	s.found = append(s.found, paramHeader{path, header})
}

func (s *schemaScan) fail(why string) { s.fault = cmp.Or(s.fault, why) }

func (p paramHeaders) set(h http.Header, tool string, args []byte) {
	for _, one := range p[tool] {
		value := args
		for _, name := range one.path {
			value = jsonraw.In(value).Get(name)
		}
		if text, ok := primitive(value); ok {
			h.Set("Mcp-Param-"+one.name, headerText(text))
		}
	}
}

// primitive returns the header form of a string, a boolean or an integer that a double can hold exactly. ok is
// false for any other value.
func primitive(raw []byte) (text string, ok bool) {
	if s, ok := jsonraw.Unquote(raw); ok {
		return s, true
	}
	if s := string(raw); s == "true" || s == "false" {
		return s, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64), true
}
