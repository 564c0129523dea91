package remote

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

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
func (p *paramHeaders) learn(tools [][]byte, bad func(name, why string)) (kept [][]byte) {
	for _, raw := range tools {
		tool, _ := jsonraw.ObjectIn(raw)
		name := tool.String("name")
		var s schemaScan
		s.visit(tool.Get("inputSchema"), nil, true)
		switch {
		case s.fault != "":
			bad(name, s.fault)
			continue
		case len(s.found) == 0:
			delete(*p, name)
		default:
			if *p == nil {
				*p = paramHeaders{}
			}
			(*p)[name] = s.found
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

// visit scans a schema. plain reports whether it is reached through properties alone, as only the schema of an argument
// with a header may be.
func (s *schemaScan) visit(schema []byte, path []string, plain bool) {
	members, err := jsonraw.ObjectIn(schema)
	if err != nil {
		return // true and false are schemas, too
	}
	if len(path) >= maxSchemaDepth {
		if bytes.Contains(schema, []byte(`"`+declaration+`"`)) {
			s.fail("it is nested too deeply")
		}
		return
	}
	if _, declares := members.Find(declaration); declares {
		s.declare(members, path, plain)
	}
	below := func(name string) []string { return append(path[:len(path):len(path)], name) }
	properties, _ := jsonraw.ObjectIn(members.Get("properties"))
	for _, p := range properties {
		name, _ := jsonraw.Unquote(p.Key)
		s.visit(p.Value, below(name), plain)
	}
	for _, keyword := range inSchema {
		s.visit(members.Get(keyword), below(keyword), false)
	}
	for _, keyword := range inLists {
		list, _ := jsonraw.ArrayIn(members.Get(keyword))
		for _, one := range list {
			s.visit(one, below(keyword), false)
		}
	}
	for _, keyword := range byName {
		all, _ := jsonraw.ObjectIn(members.Get(keyword))
		for _, one := range all {
			s.visit(one.Value, below(keyword), false)
		}
	}
}

// Keywords of JSON Schema whose values contain schemas, in which no argument may have a header.
var (
	inSchema = []string{"items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "not", "if", "then", "else"}
	inLists  = []string{"items", "prefixItems", "oneOf", "anyOf", "allOf"} // items was a list before the draft of 2020
	byName   = []string{"patternProperties", "dependentSchemas", "$defs", "definitions"}
)

func (s *schemaScan) declare(schema jsonraw.Members, path []string, plain bool) {
	header, text := jsonraw.Unquote(schema.Get(declaration))
	kind := schema.String("type")
	switch {
	case !plain || len(path) == 0:
		s.fail("only an argument or a member of one can have it")
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
			members, _ := jsonraw.ObjectIn(value)
			value = members.Get(name)
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
