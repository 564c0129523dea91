// Package scripted is an MCP server that gives prepared answers and notes which arguments arrived. With it the
// doctor plays a server of any kind: what it answers, and what must come, is made up beforehand.
//
// It must not know rules, or which arguments are right.
package scripted

import (
	"encoding/json"
	"errors"
	"fmt"

	"wsi/internal/refserver"
	"wsi/internal/refserver/statedir"
)

// Kind is the kind of the reference server that is this one.
const Kind = "scripted"

// Step is the argument by which a call says which answer it is for.
const Step = "step"

// Answer is what one call is answered with.
type Answer struct {
	Step   string          // as the call has it in the argument "step"
	Tool   string          // the only one that gives the answer
	Result json.RawMessage // a CallToolResult
}

// Arrival is a call that came.
type Arrival struct {
	Step, Tool string
	Arguments  json.RawMessage
}

// Tool is a tool of the server.
type Tool struct {
	Name   string
	Schema json.RawMessage
}

type script struct {
	Tools   []Tool
	Answers []Answer
}

// Write prepares the server of a folder.
func Write(dir string, tools []Tool, answers []Answer) error {
	return statedir.Dir(dir).Update(func([]byte) (any, any, error) { return script{tools, answers}, nil, nil })
}

// Arrived returns the calls that the servers of a folder received, in their order.
func Arrived(dir string) ([]Arrival, error) { return statedir.Ledger[Arrival](statedir.Dir(dir)) }

// Server answers from a folder that other processes may use at the same time.
type Server struct{ dir statedir.Dir }

// Open returns the server of a folder. It may be written later.
func Open(dir string) Server { return Server{statedir.Dir(dir)} }

// Name is what the server calls itself.
func (Server) Name() string { return Kind }

// Tools are those that were prepared; none if nothing was.
func (s Server) Tools() []refserver.Tool {
	var all script
	if s.dir.State(&all) != nil {
		return nil
	}
	tools := make([]refserver.Tool, len(all.Tools))
	for i, t := range all.Tools {
		tools[i] = refserver.Tool{Name: t.Name, Description: "A tool of the kind of server that is examined.", Schema: t.Schema}
	}
	return tools
}

// Call notes a call and gives the answer that is for it.
func (s Server) Call(tool string, args []byte) (result []byte, err error) {
	var which struct{ Step string }
	if err := json.Unmarshal(args, &which); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	err = s.dir.Update(func(old []byte) (any, any, error) {
		var all script
		if err := json.Unmarshal(old, &all); err != nil {
			return nil, nil, fmt.Errorf("read the prepared answers: %w", err)
		}
		for _, a := range all.Answers {
			if a.Step == which.Step && a.Tool == tool {
				result = a.Result
				return all, Arrival{which.Step, tool, args}, nil
			}
		}
		return nil, nil, errors.New("no answer is prepared for this call of " + tool)
	})
	return result, err
}
