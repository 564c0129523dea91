// Package terminal runs a program in a pseudo-terminal for tests and screenshots. It types, reads the screen as text
// or SVG, and reports in which state the program leaves the terminal.
//
//	s, err := terminal.Start(ctx, terminal.Program{Args: []string{"wsi", "setup"}, Width: 80, Height: 24})
//	screen, err := s.WaitFor("Set up wsi in:")
//	s.Press(terminal.Enter)
//	code, err := s.Exit()
//
// The terminal is an xterm-256color with 24-bit color and synchronised output, so that a test never sees half a
// frame of a program that uses it, such as Bubble Tea v2. It answers queries for the background color, the cursor
// position, device attributes and modes. Like xterm it ignores unknown queries.
//
// It must not know which program it runs, and is never linked into wsi. On Windows it compiles, but Start returns an
// error.
package terminal
