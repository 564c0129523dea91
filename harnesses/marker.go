package harnesses

import "wsi/hook/carry"

// Marker is a Dialect whose harness tells a server nothing of who calls: in a join the hook writes it into
// the arguments, and the relay in front of the server takes it out.
type Marker interface {
	// Mark returns the change that does so, in MarkArgument.
	Mark(ev Event) carry.Change
}

// MarkArgument is the argument that a mark is in. No server has one of that name.
const MarkArgument = "_wsi"
