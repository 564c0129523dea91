package installer

import (
	"errors"
	"io/fs"

	"wsi/installer/files"
)

// dryRun reads, and fails at every change.
type dryRun struct{ files.FS }

var errDryRun = errors.New("nothing is written in a dry run")

func (dryRun) Replace(string, []byte, []byte, fs.FileMode) error { return errDryRun }
func (dryRun) Mkdir(string, fs.FileMode) error                   { return errDryRun }
func (dryRun) Remove(string) error                               { return errDryRun }
func (dryRun) RemoveAll(string) error                            { return errDryRun }
