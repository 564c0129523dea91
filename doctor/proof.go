package doctor

import (
	"context"

	"wsi/doctor/ruletest"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// Live proves delivery with a harness's own binary. Package doctor/live implements it.
type Live func(context.Context, LiveCase) (LiveProof, error)

// LiveCase is one proof: this binary, with these files as they are now, delivers the values.
type LiveCase struct {
	Harness setup.Harness
	Version string           // of the harness
	Binary  string           // of the harness, absolute
	Server  string           // name of the server in the hooks
	Rules   []byte           // the user's rule file, nil = none
	Files   []inspect.Source // from which the harness takes hooks, with wsi's and others' in them
	// Cases are the calls for a server of another kind than the reference server; none = use the reference server.
	Cases []ruletest.Case
	// Meta: the server's results have warnings in _meta, and values that a tool takes all together.
	Meta bool
	// May reports whether a command line of wsi's in one of them may be run.
	May func(f inspect.Source, line string) bool

	Way    setup.Mode         // how it is wired
	Front  setup.RelayCommand // what it starts in front of the server; no Path = nothing
	Agents bool               // wsi can distinguish the calls of a sub-agent
	Env    setup.Env          // of the user
	Dir    string             // an empty folder for all files; the caller deletes it
}

// LiveProof is what the server saw.
type LiveProof struct {
	Right, Needed int    // calls that carried the right value, calls that had to carry one
	Wrong         string // the first failure, one clause; "" = none
	Cannot        string // why this harness cannot be driven, one clause; "" = it can
	Saw           string // such as "wsi's test server saw 9 calls of 2 sessions"
	Late          string // why the harness was stopped, one clause; the other fields count what came before; "" = it ended in time
}
