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

// loginWait is how long all servers together are waited for that are asked whether they want a login.
const loginWait = 5 * time.Second

// askLogins asks servers, all at once, whether they want a login. One that answered is not asked again.
type askLogins struct {
	mu      sync.Mutex
	answers map[string]installer.Answer
}

func (a *askLogins) ask(ctx context.Context, addresses []string) map[string]installer.Answer {
	ctx, cancel := context.WithTimeout(ctx, loginWait)
	defer cancel()
	all := map[string]installer.Answer{}
	var work sync.WaitGroup
	for _, address := range addresses {
		work.Go(func() {
			answer := a.one(ctx, address)
			a.mu.Lock()
			defer a.mu.Unlock()
			all[address] = answer
		})
	}
	work.Wait()
	return all
}

func (a *askLogins) one(ctx context.Context, address string) (answer installer.Answer) {
	a.mu.Lock()
	known, ok := a.answers[address]
	a.mu.Unlock()
	if ok {
		return known
	}
	answer.Status, answer.Err = remote.Probe(ctx, address)
	if answer.Err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.answers == nil {
			a.answers = map[string]installer.Answer{}
		}
		a.answers[address] = answer
	}
	return answer
}

// asker returns what asks servers for one setup.
func asker(ctx context.Context) func(addresses []string) map[string]installer.Answer {
	var logins askLogins
	return func(addresses []string) map[string]installer.Answer { return logins.ask(ctx, addresses) }
}

// askAloud asks for a setup that asks its user nothing.
func (f setupFlags) askAloud(ctx context.Context, e env) func(addresses []string) map[string]installer.Answer {
	ask := asker(ctx)
	return func(addresses []string) map[string]installer.Answer {
		if !f.quiet {
			fmt.Fprintf(e.Stderr, "asking %s whether it requires a login (--offline skips this)\n", strings.Join(addresses, ", "))
		}
		return ask(addresses)
	}
}
