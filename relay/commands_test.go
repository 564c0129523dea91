package relay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wsi/harnesses"
)

// player is the client of a script.
type player struct {
	*world
	*client
	ids, kept map[string]string
	got       string // the last answer
	who       harnesses.Caller
	calls     int
	mark      int // so much had arrived
	greeted   chan time.Time
}

var commands = map[string]func(p *player, words []string) (ok bool){
	"set": func(p *player, words []string) bool { return json.Unmarshal([]byte(words[0]), &p.opt) == nil },
	"environment": func(p *player, words []string) bool {
		name, value, ok := strings.Cut(words[0], "=")
		p.env[name] = value
		return ok
	},
	"patience": func(p *player, words []string) bool { return lasts(&p.limits.patience, words[0]) },
	"tends":    func(p *player, words []string) bool { return lasts(&p.limits.tend, words[0]) },
	"patient": func(p *player, _ []string) bool {
		p.greeted = make(chan time.Time)
		p.limits.greetingOver = func(time.Duration) <-chan time.Time { return p.greeted }
		return true
	},

	"greet": func(p *player, _ []string) bool { p.greet(); return true },
	"as": func(p *player, words []string) bool {
		p.who = harnesses.Caller{Session: words[0], Agent: at(words, 1)}
		return true
	},
	"do": func(p *player, words []string) bool {
		p.got = p.client.answer(p.begin(words))
		return true
	},
	"call": func(p *player, words []string) bool { p.ids[words[0]] = p.begin(words[1:]); return true },
	"ask": func(p *player, words []string) bool {
		p.got = p.client.answer(p.client.request(words[0], at(words, 1, "{}")))
		return true
	},
	"request": func(p *player, words []string) bool {
		p.ids[words[0]] = p.client.request(words[1], at(words, 2, "{}"))
		return true
	},
	"send": func(p *player, words []string) bool { p.client.send(words[0]); return true },
	"reply": func(p *player, words []string) bool {
		p.client.send(`{"jsonrpc":"2.0","id":` + p.kept["question"] + `,"result":` + words[0] + `}`)
		return true
	},
	"cancel": func(p *player, words []string) bool {
		for _, id := range words {
			p.client.send(fmt.Sprintf(notice, p.id(id)))
		}
		return true
	},
	"answer": func(p *player, words []string) bool {
		for _, id := range words {
			p.got = p.client.answer(p.id(id))
		}
		return true
	},
	"held": func(p *player, words []string) bool {
		_, answered := p.await(p.id(words[0]), 50*time.Millisecond)
		return !answered
	},
	"close": func(p *player, _ []string) bool { return p.client.close() >= 0 },
	"reconnect": func(p *player, _ []string) bool {
		p.shownNothing()
		p.client = p.connect()
		return true
	},

	"let": func(p *player, words []string) bool {
		p.let(words[0], strings.NewReplacer(`\e`, "\x1b", `\a`, "\a", `\n`, "\n").Replace(at(words, 1)))
		return true
	},
	"die": func(p *player, _ []string) bool { p.die(); return true },
	"hung": func(p *player, words []string) bool {
		p.until("a process hangs", func() bool {
			return strconv.Itoa(strings.Count(p.stderr.String(), "waiting for the database")) == words[0]
		})
		p.greeted <- time.Time{}
		return true
	},
	"gone": func(p *player, words []string) bool {
		pid, err := strconv.Atoi(words[0])
		p.until("the process ended", func() bool { return !alive(pid) })
		return err == nil
	},
	"ends": func(p *player, words []string) bool { return strconv.Itoa(p.ends()) == words[0] },

	"said": func(p *player, words []string) bool {
		return !slices.ContainsFunc(words, func(text string) bool { return !strings.Contains(p.got, text) })
	},
	"keep":  func(p *player, words []string) bool { p.kept[words[0]] = index(p.got); return index(p.got) != "" },
	"shows": func(p *player, words []string) bool { return index(p.got) == p.kept[words[0]] },
	"fails": func(p *player, _ []string) bool { return index(p.got) == "" },
	"told": func(p *player, words []string) bool {
		message := p.told(words[0])
		p.other = slices.DeleteFunc(p.other, func(other string) bool { return other == message })
		var m struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(message), &m) == nil && m.ID != nil {
			p.kept["question"] = string(m.ID)
		}
		return true
	},
	"untold": func(p *player, _ []string) bool {
		p.await("none", 100*time.Millisecond)
		return len(p.other) == 0
	},
	"arrives": func(p *player, words []string) bool {
		p.until("the server gets "+words[0], func() bool {
			return strconv.Itoa(strings.Count(p.arrived(), words[0])) >= at(words, 1, "1")
		})
		return true
	},
	"arrived": func(p *player, words []string) bool {
		return strconv.Itoa(strings.Count(p.arrived()[p.mark:], words[1])) == words[0]
	},
	"mark": func(p *player, _ []string) bool { p.mark = len(p.arrived()); return true },
	"methods": func(p *player, words []string) bool {
		var all []string
		for line := range strings.Lines(p.arrived()[p.mark:]) {
			all = append(all, methodIn(line))
		}
		p.got = strings.Join(all, " ")
		return slices.Equal(all, words)
	},
	"last": func(p *player, words []string) bool { return p.last() == strings.Join(words, " ") },
	"verdicts": func(p *player, words []string) bool {
		all := p.verdicts()
		if words[0] == "..." {
			words = words[1:]
			all = all[max(0, len(all)-len(words)):]
		}
		return slices.Equal(all, words)
	},
	"notices": func(p *player, words []string) bool {
		all := p.ledger()
		notices := all[len(all)-1].Notices
		return strconv.Itoa(len(notices)) == words[0] && !slices.ContainsFunc(notices, func(n string) bool { return !strings.Contains(p.got, "(notice "+n) })
	},
	"traced": func(p *player, words []string) bool {
		trace := p.lastTrace()
		return trace != nil && trace.All && trace.Foreign+trace.Unknown == 0 && strconv.Itoa(trace.Own) == words[0]
	},
	"pid":  func(p *player, words []string) bool { p.kept[words[0]] = strconv.Itoa(p.pid()); return true },
	"same": func(p *player, words []string) bool { return strconv.Itoa(p.pid()) == words[0] },
	"wrote": func(p *player, words []string) bool {
		return strconv.Itoa(strings.Count(p.stderr.String(), words[1])) == words[0]
	},
	"ended": func(p *player, words []string) bool {
		p.until("the relay knows", func() bool { return strconv.Itoa(strings.Count(p.stderr.String(), "has ended")) == words[0] })
		return true
	},
	"journal": func(p *player, words []string) bool {
		var all []string
		for _, e := range p.journal() {
			if e.Who != "relay" || e.Server != p.opt.Server {
				p.t.Errorf("journal: %+v", e)
			}
			if e.Tool != "" {
				did := e.Verb + " " + e.Tool + " " + e.Did
				if e.Failed {
					did += ", failed"
				}
				if e.Told > 0 {
					did += ", told"
				}
				if e.Waited > 0 && e.Waited <= e.Micros {
					did += ", waited"
				}
				all = append(all, strings.TrimSuffix(did+": "+e.Why, ": "))
			}
		}
		slices.Sort(all)
		p.got = strings.Join(all, "\n")
		return slices.Equal(all, words)
	},
	"unsent":    func(p *player, _ []string) bool { p.untilUnsent(); return true },
	"restarted": func(p *player, words []string) bool { return slices.Equal(p.restarts(1), words) },
}
