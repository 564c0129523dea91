package idlist

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"wsi/hook/handles"
	"wsi/internal/tui"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

const basket, order = "550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// add adds a call to a session, a minute after the one before.
func add(s *handles.Session, server, agent, tool, args, result string) {
	s.Add(handles.Record{
		Time: time.Date(2026, 11, 22, 9, s.Calls(), 0, 0, time.UTC), Harness: "codex", Server: server, Agent: agent, Tool: tool,
		Args: handles.InArguments([]byte(args), nil), Result: handles.InResult([]byte(result), nil, nil),
	})
}

// sample is a session of two servers and a sub-agent.
func sample(t *testing.T) Session {
	t.Helper()
	var s handles.Session
	add(&s, "shop", "", "create_basket", `{}`, `{"basket_id":"`+basket+`"}`)
	add(&s, "shop", "", "list_orders", `{}`, `{"order_id":"`+order+`"}`)
	add(&s, "runs", "helper", "create_run", `{}`, `{"run":"run_a1b2c3d4e5f6g7h8"}`)
	add(&s, "shop", "", "delete_basket", `{"basket_id":"`+basket+`"}`, `{}`)
	add(&s, "shop", "", "get_order", `{"order_id":"`+order+`"}`, `{}`)
	session, ok := Of("0123abcd4567", &s)
	if !ok {
		t.Fatal("no ids")
	}
	return session
}

func TestText(t *testing.T) {
	for values, want := range map[bool]string{
		false: `
SESSION         HARNESS  SERVER  TOOL           FIELD      SHAPE         FIRST SEEN        USES  LAST TOOL      CLOSED
0123abcd        codex    shop    list_orders    order_id   uuid, 36      2026-11-22 09:01  1     get_order      no
0123abcd        codex    shop    create_basket  basket_id  uuid, 36      2026-11-22 09:00  1     delete_basket  yes
0123abcd>agent  codex    runs    create_run     run        prefixed, 20  2026-11-22 09:02  0     create_run     no
`,
		true: `
SESSION         HARNESS  SERVER  TOOL           FIELD      ID                                    FIRST SEEN        USES  LAST TOOL      CLOSED
0123abcd        codex    shop    list_orders    order_id   6ba7b810-9dad-41d1-80b4-00c04fd430c8  2026-11-22 09:01  1     get_order      no
0123abcd        codex    shop    create_basket  basket_id  550e8400-e29b-41d4-a716-446655440000  2026-11-22 09:00  1     delete_basket  yes
0123abcd>agent  codex    runs    create_run     run        run_a1b2c3d4e5f6g7h8                  2026-11-22 09:02  0     create_run     no
`,
	} {
		var b strings.Builder
		if err := New([]Session{sample(t)}).Text(&b, tui.Plain(true), values); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, "\n"+b.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// JSON has values only if asked, and hiding them in JSON does not change the list.
func TestJSONHidesValues(t *testing.T) {
	list := New([]Session{sample(t)})
	for _, values := range []bool{true, false, true} {
		var b bytes.Buffer
		if err := list.JSON(&b, values); err != nil {
			t.Fatal(err)
		}
		var back List
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if got := back.Sessions[0].IDs[0].Value; got != map[bool]string{true: order}[values] {
			t.Errorf("values %t: %q", values, got)
		}
		if strings.Contains(b.String(), basket) != values {
			t.Errorf("values %t: %s", values, b.String())
		}
	}
}

func TestCard(t *testing.T) {
	s := sample(t)
	head := "wsi: ids seen earlier in this conversation, for reference; nothing to do:\n"
	if got, want := s.Listed(true), head+"- "+order+" (shop list_orders, order_id)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.Listed(false), head+"- [uuid, 36] (shop list_orders, order_id)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestASessionWithoutIDs(t *testing.T) {
	var s handles.Session
	add(&s, "shop", "", "list", `{"name":"x"}`, `{}`)
	if _, ok := Of("0123", &s); ok {
		t.Error("it has ids")
	}
	var b strings.Builder
	if err := New(nil).JSON(&b, true); err != nil || !strings.Contains(b.String(), `"sessions": []`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Names from outside stay in their cell: one line each, short, without control characters.
func TestHostileNames(t *testing.T) {
	evil := "a\x1b[31m\nFORGED\t\u202e\x9b" + strings.Repeat("x", 500)
	var s handles.Session
	s.Add(handles.Record{
		Time: time.Unix(1764000000, 0), Harness: evil, Server: evil, Agent: evil, Tool: evil,
		Result: handles.InResult([]byte(`{"\u001b[31m":"`+basket+`"}`), nil, nil),
	})
	session, _ := Of("\x1b\n\u202e012345", &s)
	var b strings.Builder
	if err := New([]Session{session}).Text(&b, tui.Plain(false), true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 || len(lines[1]) > 600 || !strings.Contains(lines[1], basket) {
		t.Errorf("%q", lines)
	}
	for _, r := range strings.Join(lines, "") {
		if !unicode.IsPrint(r) {
			t.Errorf("%q in %q", r, lines)
		}
	}
}
