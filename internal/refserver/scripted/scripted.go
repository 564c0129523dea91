// Package scripted is an MCP server that gives prepared answers and records the arguments that arrive. With it
// the doctor imitates a server of any kind: it prepares the answers and compares the arguments.
//
// It must not know rules, or which arguments are right.
package scripted

import (
	"encoding/json"
	"errors"
	"fmt"

	"wsi/internal/lists"
	"wsi/internal/refserver"
	"wsi/internal/refserver/statedir"
)

// Kind is the value that selects this server as the reference server.
const Kind = "scripted"

// Step is the argument that selects the answer to a call.
const Step = "step"

// Answer is the answer to one call.
type Answer struct {
	Step   string          // the value of the argument "step"
	Tool   string          // the tool that must be called
	Result json.RawMessage // a CallToolResult
}

// Arrival is a received call.
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

// Write prepares the tools and answers of the server in a folder.
func Write(dir string, tools []Tool, answers []Answer) error {
	return statedir.Update(statedir.Dir(dir), func(all *script) (any, error) { *all = script{tools, answers}; return nil, nil })
}

// Arrived returns the calls that the servers of a folder received, in order.
func Arrived(dir string) ([]Arrival, error) { return statedir.Ledger[Arrival](statedir.Dir(dir)) }

// Server answers from a folder. Other processes may use the folder at the same time.
type Server struct{ dir statedir.Dir }

// Open returns the server of a folder. [Write] may be called later.
func Open(dir string) Server { return Server{statedir.Dir(dir)} }

// Name returns the server's name in MCP.
func (Server) Name() string { return Kind }

// Tools returns the prepared tools, or nil.
func (s Server) Tools() []refserver.Tool {
	all, _ := statedir.State[script](s.dir) // Call returns the error
	return lists.Map(all.Tools, func(t Tool) refserver.Tool {
		return refserver.Tool{Name: t.Name, Description: "A tool of the kind of server that is tested.", Schema: t.Schema}
	})
}

// Call records a call and returns its prepared answer.
func (s Server) Call(tool string, args []byte) (result []byte, err error) {
	var which struct{ Step string }
	if err := json.Unmarshal(args, &which); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	err = statedir.Update(s.dir, func(all *script) (any, error) {
		for _, a := range all.Answers {
			if a.Step == which.Step && a.Tool == tool {
				result = a.Result
				return Arrival{which.Step, tool, args}, nil
			}
		}
		return nil, errors.New("no answer is prepared for this call to " + tool)
	})
	return result, err
}
