package refserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wsi/internal/jsonraw"
)

// visit is one call.
type visit struct {
	server *Server
	st     *state
	tool   Tool
	args   arguments
	call   Call

	session  *session // of the call and, once the tool has run, of the answer
	chain    *chain   // of the token, in the generation that has one
	payload  Payload  // of the token
	warnings []string
	notices  []string // the warnings as _meta has them
}

func (v *visit) answer() result {
	v.call = Call{Tool: v.tool.Name, Verdict: NotNeeded, Arguments: v.args.names(), Digest: v.args.digest(), Label: v.args.label()}
	a := v.admit()
	own, admitted := v.session, !a.failed
	if admitted {
		a = v.tool.run(v)
	}
	v.call.Error = a.failed
	if own = cmp.Or(own, v.session); own != nil { // dispatch_child is a call of the parent, its answer is of the child
		v.call.Chain, v.call.SID, v.call.AID = own.Number, own.Index, own.AID
		if admitted && v.tool.traced {
			v.server.record(event{TraceID: own.Index, Name: v.tool.Name, WF: own.Workflow, Act: own.Activity, AID: cmp.Or(v.args.String("agent_id"), own.AID), VW: v.warnings}, a)
		}
	}
	v.add(&a)
	return a.result(v)
}

// admit finds the session of a call, and refuses arguments that the tool's schema does not allow. Like the
// workflow-server, it refuses unknown arguments only where a session is opened.
func (v *visit) admit() answer {
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(v.tool.Schema, &schema); err != nil {
		panic(err) // it is a constant
	}
	if slices.Contains(schema.Required, Index) || slices.Contains(schema.Required, Argument) {
		v.judge()
	}
	for _, name := range v.call.Arguments {
		if schema.Properties[name] == nil && v.tool.opens {
			return invalid(v.tool.Name, name+": unrecognized key")
		}
	}
	for _, name := range schema.Required {
		if v.args.Get(name) == nil {
			return invalid(v.tool.Name, name+": Required")
		}
	}
	switch {
	case v.call.Verdict == Unknown && v.server.options.Index:
		return refuse("No session has this session_index. To open one, call start_session.")
	case v.call.Verdict == Unknown:
		return refuse("Invalid session token: HMAC signature verification failed. To resolve this, call start_session to obtain a fresh session token.")
	case v.call.Verdict == Stale && !v.server.options.Lenient:
		return refuse("Invalid session token: it is stale, a newer one has been issued.")
	}
	return answer{}
}

// judge sets the verdict on the session_index or the token of a call, and the session.
func (v *visit) judge() {
	if v.server.options.Index {
		v.call.Verdict = Unknown
		if v.session = v.st.session(v.args.String(Index)); v.session != nil {
			v.call.Verdict = Right
		} else if v.args.Get(Index) == nil {
			v.call.Verdict = Missing
		}
		return
	}
	var at int
	v.call.Verdict, v.chain, at = v.st.judge(v.args.String(Argument))
	if v.args.Get(Argument) == nil {
		v.call.Verdict = Missing
	}
	if v.chain != nil {
		v.payload = v.st.open(v.chain.Tokens[at])
		v.session = v.payload.session(v.chain)
	}
}

// add adds to an answer what all of its generation have.
func (v *visit) add(a *answer) {
	switch o := v.server.options; {
	case v.session == nil:
	case o.Index && !a.failed:
		a.fields = append(a.fields, field{Index, v.session.Index})
		a.meta = append(object{{Index, v.session.Index}, {"validation", v.validation()}}, a.meta...)
	case !o.Index && a.failed && o.RotateOnError:
		a.meta = object{{Argument, v.next()}}
	case !o.Index && !a.failed:
		token, meta := field{Argument, v.next()}, a.meta
		if a.meta = nil; slices.Contains(o.Places, Meta) {
			a.meta = append(object{token, {"validation", v.validation()}}, meta...)
		}
		if slices.Contains(o.Places, Text) {
			a.fields = append(a.fields, token)
		}
	}
}

// next issues the next token of the call's chain.
func (v *visit) next() string {
	v.payload.Act = v.session.Activity
	return v.st.rotate(v.chain, v.payload)
}

func invalid(tool, why string) answer {
	return refuse("MCP error -32602: Input validation error: Invalid arguments for tool " + tool + ": " + why)
}

// warn adds a warning with a notice, which a proof can search for. It is the same for the same warning of a session. The generation
// with a token does not warn.
func (v *visit) warn(text string) {
	if !v.server.options.Index {
		return
	}
	notice := Sign(v.st.Key, v.session.Index+text)[:16]
	v.warnings = append(v.warnings, text)
	v.notices = append(v.notices, text+" (notice "+notice+")")
	v.call.Notices = append(v.call.Notices, notice)
}

func (v *visit) validation() object {
	if len(v.notices) == 0 {
		return object{{"status", "valid"}, {"warnings", []string{}}}
	}
	return object{{"status", "warning"}, {"warnings", v.notices}}
}

type field struct {
	name  string
	value any
}

type answer struct {
	failed bool
	text   string // if failed
	fields object // if not failed
	lines  bool   // the text has lines, not JSON: get_workflow and get_activity
	meta   object // _meta
}

func refuse(text string) answer { return answer{failed: true, text: text} }

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// result is a CallToolResult.
type result struct {
	Meta    object  `json:"_meta,omitempty"`
	Content []block `json:"content"`
	IsError bool    `json:"isError,omitempty"`
}

func (a answer) result(v *visit) result {
	text := a.text
	if !a.failed {
		text = a.fields.text(a.lines)
	}
	r := result{Meta: a.meta, Content: []block{{"text", text}}, IsError: a.failed}
	if padding := v.server.options.Padding; padding > 0 && v.tool.opens {
		r.Content = append(r.Content, block{"text", strings.Repeat("all work and no play\n", padding/21+1)})
	}
	return r
}

// object is a JSON object with ordered members.
type object []field

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	raw := []byte("{}")
	for _, f := range o {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		raw = jsonraw.Set(raw, f.name, value)
	}
	return raw, nil
}

// text returns the object as indented JSON, or as lines "name: value". Its values can be encoded.
func (o object) text(lines bool) string {
	if !lines {
		raw, _ := json.MarshalIndent(o, "", "  ")
		return string(raw)
	}
	var b bytes.Buffer
	for _, f := range o {
		s, ok := f.value.(string)
		if !ok {
			raw, _ := json.Marshal(f.value)
			s = string(raw)
		}
		b.WriteString(f.name + ": " + s + "\n")
	}
	return b.String()
}
