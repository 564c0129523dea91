package main

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
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

// Whatever line the relay takes, setup, remove and the doctor know for one of wsi's, and read as the relay
// reads it.
func TestEveryLineOfTheRelayIsKnown(t *testing.T) {
	t.Parallel()
	words := []string{
		"--server", "--server=x", "x", "--harness", "--harness=codex", "--state", "--state=/s", "--rules=/r", "--schema", "hidden", "--schema=as-is",
		"--url", "--url=http://h", "--header-env", "A=B", "--header-env=C=D=E", "--", "--", "npx", "/p", "--help", "-h", "--verbose", "",
	}
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 200_000 {
		args := []string{relayVerb}
		for range 1 + r.IntN(7) {
			args = append(args, words[r.IntN(len(words))])
		}
		opt, asked, err := relayArgs(args)
		if !asked || err != nil {
			continue
		}
		taken++
		f, own, ok := harnesses.ParseFront(append([]string{"/bin/wsi"}, args...))
		same := ok && f.Server == opt.Server && f.Harness == opt.Harness && f.State == opt.State && f.Rules == opt.Rules && f.Schema == opt.Schema && f.URL == opt.URL
		same = same && slices.Equal(args[own-1:], opt.Command) && len(f.Headers) == len(opt.Headers)
		for i := range f.Headers {
			same = same && f.Headers[i].Name == opt.Headers[i].Name && f.Headers[i].Variable == opt.Headers[i].Variable
		}
		if !same {
			t.Fatalf("%q\nthe relay reads %+v\nsetup %+v %d %v", args, opt, f, own, ok)
		}
	}
	if t.Logf("%d", taken); taken < 500 {
		t.Errorf("only %d lines", taken)
	}
}
