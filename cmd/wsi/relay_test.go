package main

import (
	"bytes"
	"net"
	"os/exec"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/relay/remote"
)

// What setup goes by is true of the relay: it puts no server behind wsi that the relay would not connect to.
func TestRelaySpeaksTLSOrSaysThatItDoesNot(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "https://" + closed.Addr().String() + "/"
	_ = closed.Close()
	cmd := exec.CommandContext(t.Context(), "wsi", "relay", "--server", "x", "--state", t.TempDir(), "--url", address)
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput() // its exit status says no more
	if refused := bytes.Contains(out, []byte(remote.ErrTLS.Error())); refused == harnesses.RelaySpeaksTLS {
		t.Errorf("harnesses.RelaySpeaksTLS is %v, and the relay says %q", harnesses.RelaySpeaksTLS, out)
	}
}
