package handles

import (
	"strconv"
	"time"

	"wsi/internal/rawjson"
)

// Record is what one call adds to the memory of its session.
type Record struct {
	Time    time.Time // to the second
	Harness string
	Server  string // as registered
	Agent   string // "" for the main agent
	Tool    string // the server's own name
	Failed  bool   // the server failed the call
	Args    []Seen // as of [InArguments]
	Result  []Seen // as of [InResult], of an error too
}

// Append appends the record as a line of JSON.
func (r Record) Append(line []byte) []byte {
	line = strconv.AppendInt(append(line, `{"time":`...), r.Time.Unix(), 10)
	for _, m := range []struct{ name, value string }{{"harness", r.Harness}, {"server", r.Server}, {"agent", r.Agent}, {"tool", r.Tool}} {
		if m.value != "" {
			line = rawjson.AppendQuote(append(append(append(line, `,"`...), m.name...), `":`...), m.value)
		}
	}
	if r.Failed {
		line = append(line, `,"failed":true`...)
	}
	line = appendSeen(line, `,"args":[`, r.Args)
	line = appendSeen(line, `,"result":[`, r.Result)
	return append(line, "}\n"...)
}

// appendSeen appends a list of pairs: member and id, which is "" where there was something else than an id.
func appendSeen(line []byte, name string, seen []Seen) []byte {
	if len(seen) == 0 {
		return line
	}
	line = append(line, name...)
	for i, s := range seen {
		if i > 0 {
			line = append(line, ',')
		}
		if s.Shape == (Shape{}) {
			s.ID = ""
		}
		line = append(rawjson.AppendQuote(append(line, '['), s.Field), ',')
		line = append(rawjson.AppendQuote(line, s.ID), ']')
	}
	return append(line, ']')
}

// maxTime is the last second of the year 9999: JSON has no later time.
const maxTime = 253402300799

// ParseRecord parses a line that [Record.Append] appended. ok is false for any other line.
func ParseRecord(line []byte) (r Record, ok bool) {
	m, err := rawjson.Object(line)
	if err != nil {
		return Record{}, false
	}
	seconds, err := strconv.ParseInt(string(m.Get("time")), 10, 64)
	if err != nil || seconds < 0 || seconds > maxTime {
		return Record{}, false
	}
	r = Record{
		Time: time.Unix(seconds, 0), Harness: m.String("harness"), Server: m.String("server"), Agent: m.String("agent"),
		Tool: m.String("tool"), Failed: string(m.Get("failed")) == "true",
	}
	var argsOK, resultOK bool
	r.Args, argsOK = parseSeen(m.Get("args"))
	r.Result, resultOK = parseSeen(m.Get("result"))
	return r, argsOK && resultOK
}

func parseSeen(raw []byte) (seen []Seen, ok bool) {
	if raw == nil {
		return nil, true
	}
	pairs, err := rawjson.Array(raw)
	if err != nil {
		return nil, false
	}
	for _, pair := range pairs {
		both, err := rawjson.Array(pair)
		if err != nil || len(both) != 2 {
			return nil, false
		}
		field, isName := rawjson.Unquote(both[0])
		id, isID := rawjson.Unquote(both[1])
		shape, hasShape := ShapeOf(id)
		if !isName || !isID || id != "" && !hasShape || nameOf(field) != field {
			return nil, false
		}
		seen = append(seen, Seen{ID: id, Field: field, Shape: shape})
	}
	return seen, true
}
