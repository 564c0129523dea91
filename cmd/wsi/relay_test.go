package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// Setup, remove and the doctor recognize every command line that the relay accepts, and parse it in the same way.
func TestRelayCommandLinesAgree(t *testing.T) {
	t.Parallel()
	words := []string{
		"--server", "--server=x", "x", "--harness", "--harness=codex", "--state", "--state=/s", "--rules=/r", "--schema", "hidden", "--schema=as-is",
		"--url", "--url=http://h", "--header-env", "A=B", "--header-env=C=D=E", "A=Bearer B", "--header-env=A= B", "--no-restart", "--reload-on-change=/f", "--", "--", "npx", "/p", "--help", "-h", "--verbose", "",
	}
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 200_000 {
		args := []string{harnesses.Relay}
		for range 1 + r.IntN(7) {
			args = append(args, words[r.IntN(len(words))])
		}
		opt, asked, err := relayArgs(args)
		if !asked || err != nil {
			continue
		}
		taken++
		f, own, ok := setup.ParseRelayCommand(append([]string{"/bin/wsi"}, args...))
		same := ok && f.Server == opt.Server && f.Harness == opt.Harness && f.State == opt.State && f.Rules == opt.Rules && f.Schema == opt.Schema && f.URL == opt.URL
		same = same && slices.Equal(args[own-1:], opt.Command) && slices.Equal(f.Headers, opt.Headers)
		if !same {
			t.Fatalf("%q\nthe relay reads %+v\nsetup %+v %d %v", args, opt, f, own, ok)
		}
	}
	if t.Logf("%d", taken); taken < 500 {
		t.Errorf("only %d lines", taken)
	}
}
