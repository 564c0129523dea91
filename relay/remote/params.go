package remote

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"wsi/internal/endpoint"
	"wsi/internal/rawjson"
)

// paramHeaders maps each tool to the arguments that its calls repeat in headers, because they have x-mcp-header
// in the tool's schema (2026-07-28, SEP-2243).
type paramHeaders map[string][]paramHeader

type paramHeader struct {
	path []string // of the argument
	name string   // after Mcp-Param-
}

const maxSchemaDepth = 16

// learn stores the headers of all tools in a result of tools/list.
func (p *paramHeaders) learn(result []byte) {
	members, _ := rawjson.ObjectIn(result)
	tools, _ := rawjson.ArrayIn(members.Get("tools"))
	for _, raw := range tools {
		tool, _ := rawjson.ObjectIn(raw)
		name := tool.String("name")
		headers := headersIn(tool.Get("inputSchema"), nil)
		if len(headers) == 0 {
			delete(*p, name)
			continue
		}
		if *p == nil {
			*p = paramHeaders{}
		}
		(*p)[name] = headers
	}
}

func headersIn(schema []byte, path []string) (all []paramHeader) {
	if len(path) >= maxSchemaDepth {
		return nil
	}
	members, _ := rawjson.ObjectIn(schema)
	properties, _ := rawjson.ObjectIn(members.Get("properties"))
	for _, p := range properties {
		name, _ := rawjson.Unquote(p.Key)
		at := append(path[:len(path):len(path)], name)
		property, _ := rawjson.ObjectIn(p.Value)
		if header := property.String("x-mcp-header"); header != "" && !strings.ContainsFunc(header, endpoint.NotInToken) {
			all = append(all, paramHeader{at, header})
		}
		all = append(all, headersIn(p.Value, at)...)
	}
	return all
}

// set sets the headers of a call with these arguments.
func (p paramHeaders) set(h http.Header, tool string, args []byte) {
	for _, one := range p[tool] {
		value := args
		for _, name := range one.path {
			members, _ := rawjson.ObjectIn(value)
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
	if s, ok := rawjson.Unquote(raw); ok {
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
