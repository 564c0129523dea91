// Package terminal sits where a person sits: it starts a program in a pseudo-terminal, types, looks
// at the screen, and sees in what state the program leaves the terminal. A screen can be had as
// text and as a picture (SVG). Tests and internal/dev/screenshots use it.
//
//	s, err := terminal.Start(ctx, terminal.Program{Args: []string{"wsi", "setup"}, Width: 80, Height: 24})
//	screen, err := s.WaitFor("enter review")
//	s.Press(terminal.Enter)
//	code, err := s.Exit()
//
// The terminal is a plain xterm-256color that knows 24-bit colour and synchronised output, so that a
// frame of a program that asks for it (Bubble Tea v2 does) is never seen half drawn. It answers what
// it is asked: background colour, cursor position, device attributes, modes. To what xterm does not
// know it keeps silent, as xterm does.
//
// It must not know which program it drives, and is never linked into wsi. On Windows it compiles,
// and Start returns an error.
package terminal
