package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"wsi/installer"
	"wsi/relay/remote"
)

// loginWait is the time that all servers together have to answer whether they require a login.
const loginWait = 5 * time.Second

// asker returns a function that asks servers, concurrently, whether they require a login. It does not ask a server again
// that has answered.
func asker(ctx context.Context) func(addresses []string) map[string]installer.Answer {
	var answered sync.Map // installer.Answer by address
	return func(addresses []string) map[string]installer.Answer {
		ctx, cancel := context.WithTimeout(ctx, loginWait)
		defer cancel()
		answers := make([]installer.Answer, len(addresses))
		var work sync.WaitGroup
		for i, address := range addresses {
			if known, ok := answered.Load(address); ok {
				answers[i], _ = known.(installer.Answer)
				continue
			}
			work.Go(func() {
				if answers[i].Status, answers[i].Err = remote.Probe(ctx, address); answers[i].Err == nil {
					answered.Store(address, answers[i])
				}
			})
		}
		work.Wait()
		all := map[string]installer.Answer{}
		for i, address := range addresses {
			all[address] = answers[i]
		}
		return all
	}
}

// askVerbosely returns an asker that prints what it asks, for a setup that asks its user nothing.
func (f setupFlags) askVerbosely(ctx context.Context, e env) func(addresses []string) map[string]installer.Answer {
	ask := asker(ctx)
	return func(addresses []string) map[string]installer.Answer {
		if !f.quiet {
			fmt.Fprintf(e.Stderr, "asking %s whether it requires a login (--offline skips this)\n", strings.Join(addresses, ", "))
		}
		return ask(addresses)
	}
}
