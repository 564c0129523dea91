package harnesses

import (
	"slices"

	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// ReadResult parses a tool's result in any form in which a harness passes it to hooks: a CallToolResult, an array of
// content blocks, the structured content, or a string that holds one of these or plain text.
func ReadResult(raw []byte) carry.Result {
	if len(raw) == 0 {
		return carry.Result{}
	}
	switch raw[0] {
	case '[':
		return carry.Result{Blocks: blocks(raw)}
	case '{':
		return object(raw)
	case '"':
		return text(raw)
	}
	return carry.Result{}
}

func text(raw []byte) carry.Result {
	s, ok := rawjson.Unquote(raw)
	if ok && len(s) > 0 {
		inner := []byte(s)
		switch {
		case inner[0] == '{' && rawjson.Valid(inner):
			return object(inner)
		case inner[0] == '[' && isContent(inner):
			return carry.Result{Blocks: blocks(inner)}
		}
	}
	return carry.Result{Blocks: []carry.Block{{Text: raw}}}
}

// isContent reports whether each element of an array is a content block. A tool's text may be another array.
func isContent(raw []byte) bool {
	elements, err := rawjson.Array(raw)
	return err == nil && !slices.ContainsFunc(elements, func(e []byte) bool {
		m, err := rawjson.Object(e)
		return err != nil || !slices.Contains(kinds, m.String("type"))
	})
}

// kinds are the types of content blocks (MCP 2025-11-25).
var kinds = []string{"text", "image", "audio", "resource", "resource_link"}

// object parses a CallToolResult. An object with none of its members is structured content.
func object(raw []byte) carry.Result {
	m, err := rawjson.Object(raw)
	if err != nil {
		return carry.Result{}
	}
	r := carry.Result{
		Meta:       m.Get("_meta"),
		Structured: m.Get("structuredContent"),
		Blocks:     blocks(m.Get("content")),
		Error:      string(m.Get("isError")) == "true",
	}
	if r.Meta == nil && r.Structured == nil && r.Blocks == nil {
		r.Structured = raw
	}
	return r
}

func blocks(raw []byte) []carry.Block {
	elements, err := rawjson.Array(raw)
	if err != nil {
		return nil
	}
	list := make([]carry.Block, 0, len(elements))
	for _, e := range elements {
		if m, err := rawjson.Object(e); err == nil {
			list = append(list, carry.Block{Text: m.Get("text"), Meta: m.Get("_meta")})
		}
	}
	return list
}

// Inside returns the members of the object at a path of keys in raw; with no keys, those of raw itself. It returns none
// if one of these is not an object.
func Inside(raw []byte, keys ...string) rawjson.Members {
	members, err := rawjson.Object(raw)
	for _, key := range keys {
		if err != nil {
			return nil
		}
		members, err = rawjson.Object(members.Get(key))
	}
	if err != nil {
		return nil
	}
	return members
}

// RawObject returns raw if it begins an object, else nil.
func RawObject(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
