package configgen

import (
	"math/rand/v2"
	"strings"
)

// Servers are the names of the servers that JSONServers may register.
var Servers = []string{"workflow-server", "other", "a.b/c~d", "7"}

// JSONServers returns a document with MCP servers in a table, and with members of other programs. If joined, the
// command is a list with the arguments. A remote server has its address in url.
func JSONServers(r *rand.Rand, table string, joined, comments bool) string {
	w := newWriter(r, comments)
	ms := []member{w.pair("mark", literal(quote(Mark))), w.pair(table, w.servers(joined))}
	for range w.IntN(4) {
		ms = append(ms, w.pair(w.key(), w.value(3)))
	}
	w.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	text := w.object("", ms...) + w.pick("", "\n", "\n\n")
	if comments && w.IntN(4) == 0 {
		text = "// mine" + "\n" + text
	}
	return w.ends(text, true)
}

func (w *writer) servers(joined bool) member {
	return func(indent string) string {
		var all []member
		for _, name := range Servers {
			if w.IntN(4) > 0 {
				all = append(all, w.pair(name, w.server(joined)))
			}
		}
		w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return w.object(indent, all...)
	}
}

func (w *writer) server(joined bool) member {
	return func(indent string) string {
		var ms []member
		words := w.words(w.IntN(4))
		switch {
		case w.IntN(4) == 0:
			ms = w.remote()
		case joined:
			ms = append(ms, w.pair("command", w.words(1+w.IntN(4))))
		default:
			ms = append(ms, w.pair("command", w.words(-1)))
			if w.IntN(3) > 0 {
				ms = append(ms, w.pair("args", words))
			}
		}
		for range w.IntN(3) {
			ms = append(ms, w.pair(w.key(), w.value(2)))
		}
		w.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
		return w.object(indent, ms...)
	}
}

func (w *writer) remote() []member {
	ms := []member{w.pair("url", literal(quote(w.pick("http://example.com/mcp", "http://127.0.0.1:3000/"))))}
	variables := func(names ...string) member {
		return func(indent string) string {
			var all []member
			for _, name := range names {
				all = append(all, w.pair(name, literal(quote(w.pick("secret", "${X}", `a\b`, "ü")))))
			}
			return w.object(indent, all...)
		}
	}
	if w.IntN(2) == 0 {
		ms = append(ms, w.pair("headers", variables([]string{"Authorization", "X-Key"}[:w.IntN(3)]...)))
	}
	if w.IntN(2) == 0 {
		ms = append(ms, w.pair("env", variables([]string{"A", "B"}[:w.IntN(3)]...)))
	}
	return ms
}

// words returns a list of n words, or a single word for -1.
func (w *writer) words(n int) member {
	word := func(string) string {
		return w.pick(`"npx"`, `"-y"`, `""`, `"--"`, `"\u002d\u00e9"`, `"C:\\x // y"`, `"a b]"`, `"wsi"`, `"relay"`)
	}
	if n < 0 {
		return word
	}
	return func(indent string) string { return w.list(indent, n, word) }
}

// TOMLServers returns a document with MCP servers in mcp_servers, in one of the forms of TOML, and with keys and
// tables of other programs.
func TOMLServers(r *rand.Rand) string {
	w := newWriter(r, true)
	top := w.pick("", "# first\n") + "mark = '" + Mark + "' # [mcp_servers]\n" + w.assignments(3)
	var blocks []string
	for range w.IntN(3) {
		blocks = append(blocks, strings.ReplaceAll(w.table(), "mcp_servers", "mcp_others"))
	}
	word := func() string {
		return w.pick(`"npx"`, `'-y'`, `""`, `"--"`, `"\u002d\u00e9"`, `'C:\x # y'`, `"a b]"`, `"""wsi"""`, `'''relay'''`)
	}
	list := func() string {
		one, two := word(), word()
		return w.pick("[]", "[ ]", "["+one+"]", "[ "+one+", "+two+" ]", "["+one+","+two+",]", "[\n  "+one+", # c, ]\n  "+two+w.pick("", ",")+"\n]", "[ # c\n\t"+one+"\n]")
	}
	entry := func(separator string) string {
		lines := []string{"command" + w.pick(" = ", "=") + word()}
		if w.IntN(3) > 0 {
			lines = append(lines, "args = "+list())
		}
		if w.IntN(2) == 0 {
			lines = append(lines, `env = { A = "1" }`)
		}
		if w.IntN(4) == 0 {
			lines = append(lines, "startup_timeout_sec = 1.5")
		}
		w.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return strings.Join(lines, separator)
	}
	name := w.pick("workflow-server", `"workflow-server"`, "'workflow-server'")
	switch w.IntN(6) {
	case 0:
		top += "mcp_servers = { " + name + " = { " + entry(", ") + " }, other = { command = 'x' } }\n"
	case 1:
		top += "mcp_servers." + name + ".command = " + word() + w.note() + w.pick("", "mcp_servers."+name+".args = "+list()+w.note())
	case 2:
		top += "mcp_servers." + name + " = { " + entry(", ") + " }" + w.note()
	case 3:
		blocks = append(blocks, "[mcp_servers]\n"+name+" = { "+entry(", ")+" }"+w.note())
	default:
		blocks = append(blocks, "[mcp_servers."+name+"]"+w.note()+entry(w.note())+"\n"+w.pick("", "[mcp_servers."+name+".tools.x]\napproval_mode = 'approve'\n"))
	}
	w.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	text := top
	for _, block := range blocks {
		text += w.pick("", "\n", "\n# a block\n") + block
	}
	if w.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return w.ends(text, true)
}
