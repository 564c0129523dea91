package terminal

// Key is the sequence that a terminal sends for a key.
type Key string

// The keys without a character, as xterm sends them.
const (
	Enter     Key = "\r"
	Tab       Key = "\t"
	ShiftTab  Key = "\x1b[Z"
	Space     Key = " "
	Backspace Key = "\x7f"
	Esc       Key = "\x1b"
	Up        Key = "\x1b[A"
	Down      Key = "\x1b[B"
	Right     Key = "\x1b[C"
	Left      Key = "\x1b[D"
	Home      Key = "\x1b[H"
	End       Key = "\x1b[F"
	PageUp    Key = "\x1b[5~"
	PageDown  Key = "\x1b[6~"
	CtrlC     Key = "\x03"
	CtrlD     Key = "\x04"
	CtrlZ     Key = "\x1a"
)
