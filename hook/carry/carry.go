// Package carry is the one engine: which value of which server is taken from a result and put into
// a call. It is pure: it works on bytes it is given and on a State it is handed.
//
// It must not know harnesses, files, processes or the clock.
package carry

// Change is what Before wants of a call: the same arguments but for one.
type Change struct {
	Args     []byte // all arguments, raw JSON, the caller's bytes but for the one value
	Argument string // the name of the one that changed
	Value    string // its new value
}

// Result is a tool's result as far as the harness lets a hook see it. All fields are raw JSON.
type Result struct {
	Meta       []byte  // the result's _meta object
	Structured []byte  // structuredContent
	Blocks     []Block // content
	Error      bool    // isError
}

// Block is one content block.
type Block struct {
	Text []byte // a JSON string, quotes included
	Meta []byte // the block's own _meta object
}
