package carry

import (
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// migrations is a rule for a server whose first tool returns values that its second takes back.
func migrations() *Rule {
	text := func(name string) Source { return Source{Kind: Text, Pattern: Pattern(`(?m)^- ` + name + `: (\S+)$`)} }
	return &Rule{
		Server: "db", Scope: "session",
		Capture: Capture{Tools: Tools{"prepare"}, From: []Source{text("id")}, Key: []Source{{Kind: Self}}},
		Shape:   `^[0-9a-f]{8}$`,
		Together: Together{
			Tools: Tools{"complete"}, By: []Path{"id", "branch"}, Applies: "apply",
			Values: []Part{
				{"id", Source{Kind: Self}},
				{"branch", text("branch")},
				{"database", text("database")},
				{"project", Source{Kind: Given, Path: "project"}},
				{"sql", Source{Kind: Given, Path: "sql"}},
			},
		},
	}
}

// A call must have the values of one result, and is left alone where that cannot be known.
func TestTogether(t *testing.T) {
	rule, state := migrations(), &State{}
	prepare := func(id, branch, database, sql string) {
		t.Helper()
		d := After(rule, state, Call{Tool: "prepare", Args: []byte(`{"project":"p1","sql":` + string(jsonraw.Quote(sql)) + `}`)}, Result{
			Blocks: []Block{{Text: jsonraw.Quote("done\n- id: " + id + "\n- sql: " + sql + "\n- database: " + database + "\n- branch: " + branch + "\n")}},
		})
		if d.Action != Captured {
			t.Fatalf("%+v", d)
		}
	}
	prepare("00000001", "br-a", "main", "ALTER TABLE a;\n")
	prepare("00000002", "br-b", "main", "ALTER TABLE b;")
	prepare("00000003", "br-c", "main", "SELECT 1;\n- database: other\n") // two values: neither is known

	const one = `"id":"00000001","branch":"br-a","database":"main","project":"p1","sql":"ALTER TABLE a;"`
	with := func(was, now string) string { return "{" + strings.Replace(one, was, now, 1) + "}" }
	for name, c := range map[string]struct{ args, denied string }{
		"all of the first":                     {"{" + one + "}", ""},
		"one is left out":                      {with(`"database":"main",`, ""), ""},
		"white space around":                   {with(`ALTER TABLE a;`, `ALTER TABLE a;\n`), ""},
		"another branch":                       {with("br-a", "br-x"), "branch"},
		"the branch of the other":              {with("br-a", "br-b"), "branch"},
		"the id of the other":                  {with("00000001", "00000002"), "branch"},
		"an id of none":                        {with("00000001", "00000009"), "id"},
		"another database":                     {with("main", "mein"), "database"},
		"another project":                      {with("p1", "p2"), "project"},
		"another statement":                    {with("TABLE a", "TABLE b"), "sql"},
		"neither is known":                     {`{"id":"00000009","branch":"br-x","database":"main","project":"p2"}`, ""},
		"no string":                            {with(`"main"`, `7`), ""},
		"cleaning up":                          {with(`"sql":"ALTER TABLE a;"`, `"sql":"","database":"","apply":false`), ""},
		"cleaning up the branch of the other":  {with(`"br-a"`, `"br-b","apply":false`), "branch"},
		"with what the result says twice":      {`{"id":"00000003","branch":"br-c","database":"main","project":"p1"}`, ""},
		"of that, another branch all the same": {`{"id":"00000003","branch":"br-a","database":"main","project":"p1"}`, "branch"},
	} {
		d := Before(rule, state, Call{Tool: "complete", Args: []byte(c.args)})
		if c.denied == "" && (d.Action != Left || d.Changes()) || c.denied != "" && d.Action != Denied {
			t.Errorf("%s: %s, %s", name, d.Action, d.Why)
		}
		if c.denied != "" && !strings.HasPrefix(d.ModelNotice, c.denied+" is not the one that prepare returned with this ") {
			t.Errorf("%s: %s", name, d.ModelNotice)
		}
		if d := Before(rule, state, Call{Tool: "run", Args: []byte(c.args)}); d.Action != Left {
			t.Errorf("%s, by another tool: %s, %s", name, d.Action, d.Why)
		}
	}
}

// A value without its session is never in the notice, because the agent that gets it may be another.
func TestTogetherShowsNoValue(t *testing.T) {
	rule, state := migrations(), &State{}
	After(rule, state, Call{Tool: "prepare", Args: []byte(`{}`)}, Result{
		Blocks: []Block{{Text: jsonraw.Quote("- id: 0000abcd\n- branch: br-quiet\n")}},
	})
	d := Before(rule, state, Call{Tool: "complete", Args: []byte(`{"id":"0000abcd","branch":"br-quiat"}`)})
	if d.Action != Denied || strings.Contains(d.ModelNotice+d.Why, "br-qui") || strings.Contains(d.ModelNotice+d.Why, "0000abcd") {
		t.Errorf("%s: %s (%s)", d.Action, d.ModelNotice, d.Why)
	}
}

// With choose = "alone" a value is injected only while the session has no other, whichever of them was used last.
func TestChooseAlone(t *testing.T) {
	rule := &Rule{
		Server: "threads", Scope: "session",
		Capture: Capture{Tools: Tools{"begin", "go_on"}, From: []Source{{Kind: Structured, Path: "thread"}}, Key: []Source{{Kind: Self}}},
		Flow:    Flow{Opens: Tools{"begin"}, Keeps: Tools{"*"}},
		Inject:  []Inject{{Tools: Tools{"go_on"}, Argument: "thread", When: whenPlaceholder, Choose: byItself, Otherwise: tell}},
	}
	state := &State{}
	begin := func(thread string) {
		After(rule, state, Call{Tool: "begin", Args: []byte(`{}`)}, Result{Structured: []byte(`{"thread":"` + thread + `"}`)})
	}
	goOn := func() Decision { return Before(rule, state, Call{Tool: "go_on", Args: []byte(`{}`)}) }
	if d := goOn(); d.Action != Left || d.ModelNotice != "" {
		t.Errorf("nothing stored: %+v", d)
	}
	begin("0197-aaaa-0123456789-0123456789-0123456789")
	if d := goOn(); d.Action != Injected {
		t.Errorf("one: %+v", d)
	}
	begin("0197-bbbb-0123456789-0123456789-0123456789")
	if d := goOn(); d.Action != Left || !strings.Contains(d.ModelNotice, "several sessions are open") {
		t.Errorf("two: %+v", d)
	}
}
