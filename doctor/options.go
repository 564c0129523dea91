package doctor

import (
	"cmp"
	"os"
	"slices"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
)

// Options configures an examination.
type Options struct {
	Env      setup.Env
	StateDir string // of the vault and the journal
	Binary   string // of this wsi
	// Registers is a program that the user has just named as the one to register, "" = none. It may be run
	// even if a project's file names it.
	Registers string
	Version   string // of this wsi
	TempDir   string // for temporary folders, "" = the system's

	Harnesses []setup.Harness
	Named     bool // the user named the harnesses: one that is missing is then a finding
	Scopes    []setup.Scope
	Server    string // name of the MCP server, "" = the one the hooks are registered for

	Only  []string    // ids of harnesses and checks, the latter with or without a harness's id before them; none = all
	Live  Live        // proves delivery with the harness's own binary; nil = not requested
	Watch func(Event) // receives the progress, from one goroutine at a time; may be nil

	Self   string                 // path of the running program, "" = os.Executable
	Room   func(dir string) error // returns why a folder has no room left; nil = ask the file system
	Issued func(value string)     // receives every value that a rehearsal issues, from several goroutines; may be nil

	scratch    scratch         // made by Run
	wiring     wiring          // set by Run
	journal    []journal.Entry // read once, by Run
	journalErr error
}

// wiring lists the names of the examined harnesses that wsi is registered with, and of those that have the server.
type wiring struct{ wired, serving []string }

// wants reports whether a check is to be reported. harness is "" for a check of wsi itself.
func (o Options) wants(harness string, id report.Check) bool {
	if len(o.Only) == 0 || slices.Contains(o.Only, string(id)) {
		return true
	}
	if harness == "" {
		return slices.Contains(o.Only, "wsi")
	}
	return slices.Contains(o.Only, harness) || slices.Contains(o.Only, id.Of(harness))
}

// this returns the path of the running program, "" if it is not known.
func (o Options) this() string {
	if o.Self != "" {
		return o.Self
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

func (o Options) tempDir() string {
	return cmp.Or(o.TempDir, o.Env.Getenv("TMPDIR"), o.Env.Getenv("TEMP"))
}
