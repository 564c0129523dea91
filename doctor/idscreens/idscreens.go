// Package idscreens shows the ids that wsi keeps on a terminal: the sessions, the ids of one session, and everything
// about one id. Values are hidden until the user shows them.
//
// It changes nothing. It must not know where ids are kept, or harnesses by name.
package idscreens

import (
	"context"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor/idlist"
	"wsi/internal/tui"
)

// Config is what is shown.
type Config struct {
	List    idlist.List // at least one session
	Problem string      // why ids may be missing, "" if none is
	Values  bool        // show the ids themselves from the start
	ASCII   bool        // no characters beyond ASCII
}

// Run shows the screens until the user quits or ctx ends. Then the terminal is restored, even after a panic.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	_, err := tui.Run(ctx, in, out, func(context.Context, *sync.WaitGroup, func(tea.Msg)) model { return newModel(c) })
	return err
}
