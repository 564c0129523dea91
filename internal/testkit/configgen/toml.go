package configgen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// TOML returns a document with keys and tables of other programs, and with or without hooks in one of the forms of
// TOML.
func TOML(r *rand.Rand, events ...string) string {
	w := newWriter(r, true)
	top := w.pick("", "# first\n", "#:schema x\n\n") + "mark = '" + Mark + "' # [hooks]\n" + w.assignments(3)
	var blocks []string
	for range w.IntN(4) {
		blocks = append(blocks, w.table())
	}
	switch event := w.pick(events...); w.IntN(7) {
	case 0:
		top += "hooks." + event + " = " + w.groups() + "\n" + w.pick("", "hooks.Stop"+w.pick("x", "y")+" = "+w.groups()+"\n")
	case 1:
		top += "hooks = {" + w.pick("", " "+event+" = "+w.groups()+" ", " \""+event+"\" = [], Other = "+w.groups()) + "}" + w.note()
	case 2:
		blocks = append(blocks, "[hooks]"+w.note()+w.pick("", event+" = "+w.groups()+w.note())+w.pick("", "  Other."+"x = 1\n"))
	case 3:
		for range 1 + w.IntN(3) {
			blocks = append(blocks, "[[hooks."+w.pick(event, "'"+event+"'", "Other")+"]]"+w.note()+w.pick("", "matcher = 'Bash'\n")+w.pick("hooks = []\n", "\thooks = [{ type = \"command\", command = \"x\" }]\n"))
		}
	case 4:
		blocks = append(blocks, "[[hooks."+event+"]]\n[[hooks."+event+".hooks]]\ntype = \"command\"\ncommand = \"x\"\n[[hooks."+event+".hooks]]\ntype = \"command\"\ncommand = '''y\n'''\n")
	case 5:
		blocks = append(blocks, "[hooks.state]\n\"/x/hooks.json:stop:0:0\" = { trusted_hash = \"sha256:1\" }\n", w.pick("", "[hooks.state.\"a.b:0:0\"]\ntrusted_hash = \"sha256:1\"\nenabled = false\n"))
	}
	w.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	text := top
	for _, block := range blocks {
		text += w.pick("", "\n", "\n# a block\n") + block
	}
	text += w.pick("", "", "\n", "# last\n")
	if w.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return w.ends(text, true)
}

func (w *writer) note() string { return w.pick("\n", "\n", " # c, ]\n", "\t#\n") }

func (w *writer) groups() string {
	group := func() string {
		return w.pick(`{ hooks = [{ type = "command", command = "guard" }] }`, `{ matcher = "B", hooks = [] }`, "{ hooks = [ { type = 'command', command = 'wsi x' }, # c, ]\n] }", `{matcher="",hooks=[{type="command",command="/opt/wsi/x inject --harness cursor"}]}`)
	}
	return w.pick("[]", "["+group()+"]", "[ "+group()+", "+group()+" ]", "[\n  "+group()+",\n  "+group()+w.pick("", ",", ", # c, ]")+"\n]")
}

// assignments returns up to n lines with keys and values.
func (w *writer) assignments(n int) (text string) {
	for range w.IntN(n + 1) {
		text += w.pick("", "", "  ", "\t") + w.name() + w.pick(" = ", "=", "\t=  ") + w.data(2) + w.note()
	}
	return text
}

// name returns a new key, perhaps a dotted one.
func (w *writer) name() string {
	w.keys++
	n := strconv.Itoa(w.keys)
	return w.pick("k"+n, "k-"+n, n, `"key `+n+`"`, "'#"+n+"'", `"hooks`+n+`"`, "Hooks"+n, "a"+n+".b", "a"+n+" . 'b.c' . \"d\"", `"ü`+n+`"`, `"hooks.`+n+`"`)
}

func (w *writer) table() string {
	w.keys++
	n := strconv.Itoa(w.keys)
	inside := w.assignments(3)
	return w.pick(
		"[t"+n+"]"+w.note()+inside,
		"[ t"+n+" . \"x.y\" ]\n"+inside,
		"[mcp_servers.s"+n+"]\ncommand = \"node\"\nargs = [ \"a\", # one\n \"b\" ]\n[mcp_servers.s"+n+".env]\nX = \"1\"\n",
		"[[l"+n+"]]\n"+inside+"[[l"+n+"]]\n[l"+n+".hooks]\nPreToolUse = 1\n",
		"[p."+n+"]\nhooks = [ 1 ]\n[p."+n+".\"/home/u/x\"]\ntrust_level = \"trusted\"\n",
	)
}

func (w *writer) data(depth int) string {
	if depth == 0 || w.IntN(2) == 0 {
		return w.pick("1", "-0", "+1_000", "0xDEAD_beef", "0o17", "9223372036854775807", "1.5e+30", "inf", "-nan", "true", "1979-05-27", "07:32:00.999", "1979-05-27T00:32:00-07:00", "1979-05-27 07:32:00",
			`"x"`, `"\u00e9 # no comment, \" [hooks]"`, `'C:\x\'`, "\"\"\"\n[hooks]\n# \\n  x\"\"\"", "'''\n[[hooks.PreToolUse]]\n'''", `"ü"`, `""`)
	}
	one, two := w.data(depth-1), w.data(depth-1)
	return w.pick("[]", "["+one+"]", "[ "+one+", "+two+" ]", "[\n\t"+one+", # c, ]\n  # more\n\t"+two+w.pick("", ",")+"\n]", "{}", "{ a = "+one+", 'b.c' = "+two+" }", "{a.b="+one+"}")
}
