package main

import (
	"bufio"
	"fmt"
	"io"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// server writes each line that it gets into a file, and answers with the next line of another one.
const server = `while IFS= read -r line; do printf '%s\n' "$line" >>received; IFS= read -r reply <&3; printf '%s\n' "$reply"; done 3<replies`

// relays plays the calls through the relay of each harness, and where hooks can tell it the caller, also with them.
func relays() (all []scenario, _ error) {
	for _, h := range registry.All() {
		for _, form := range []string{"_meta", "structured", "text", "session_index"} {
			all = append(all, scenario{"relay", h.ID + ", " + form, func(p *place) { p.relay(h, form, false) }})
			if h.Capabilities.Note != nil {
				all = append(all, scenario{"relay", h.ID + " with a hook, " + form, func(p *place) { p.relay(h, form, true) }})
			}
		}
	}
	return all, nil
}

// relay sends each call when the one before has its answer.
func (p *place) relay(h setup.Harness, form string, noted bool) {
	p.relayed, p.drawn = true, h.Proof.Meta == nil && !noted
	tool := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"session_token":{"type":"string"},"session_index":{"type":"string"}},"required":["session_token"]}}`, name)
	}
	replies := fmt.Sprintf(`{"jsonrpc":"2.0","id":"list","result":{"tools":[%s,%s]}}`, tool("next_activity"), tool("get_activity")) + "\n"
	lines := []func() string{func() string { return `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` }}
	for i, c := range calls {
		made, result := p.made(i, form)
		replies += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i, result) + "\n"
		lines = append(lines, func() string {
			if noted {
				answer := p.hook(h.Proof.Simulator.Before(made), hookRuns[1], h.ID)
				if sent, err := h.Proof.Simulator.Apply(made, answer, 0); err == nil {
					made.Args = sent
				}
			}
			meta := ""
			if h.Proof.Meta != nil {
				meta = fmt.Sprintf(`,"_meta":%s`, h.Proof.Meta(made))
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, i, c.tool, made.Args, meta)
		})
	}
	p.put(map[string]string{"src/demo/replies": replies})
	p.talk([]string{"relay", "--server", harnesses.DefaultServer, "--harness", h.ID, "--", "sh", "-c", server}, lines)
	p.tree()
}

// talk runs wsi and writes each line when there is an answer to the one before.
func (p *place) talk(args []string, lines []func() string) {
	cmd, cancel := p.command(append([]string{installed(p.home())}, args...)...)
	defer cancel()
	stdin, err := cmd.StdinPipe()
	p.check(err)
	stdout, err := cmd.StdoutPipe()
	p.check(err)
	if err := cmd.Start(); err != nil {
		p.check(err)
		return
	}
	answers := bufio.NewReader(stdout)
	for _, next := range lines {
		line := next()
		_, err := io.WriteString(stdin, line+"\n")
		p.check(err)
		answer, err := answers.ReadString('\n')
		p.check(err)
		p.record("the answer to "+line, answer)
	}
	p.check(stdin.Close())
	rest, err := io.ReadAll(answers)
	p.check(err)
	p.record("after the last answer", string(rest))
	p.check(cmd.Wait())
}
