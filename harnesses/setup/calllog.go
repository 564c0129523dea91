package setup

// CallLog is where a harness writes down the calls of a server's tools, whether it runs hooks or not.
type CallLog struct {
	Files []string // patterns of [filepath.Glob]; the newest few are read
	Marks []string // a line about a call contains all of these, and its time after "timestamp"
}
