package remote

import "net"

// alive: here only whoever listens to a connection knows.
func alive(net.Conn) bool { return true }
