package fakeserver

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestIndex(t *testing.T) {
	x := NewIndex()
	call := func(tool, args string) (index string, failed bool) {
		out, err := x.Call("", tool, []byte(args))
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Meta struct {
				Index string `json:"session_index"`
			} `json:"_meta"`
			IsError bool
		}
		if err := json.Unmarshal(out, &v); err != nil {
			t.Fatal(err)
		}
		return v.Meta.Index, v.IsError
	}
	if _, failed := call("start_session", `{"session_token":"x"}`); !failed {
		t.Error("start_session accepts a session_token")
	}
	top, _ := call("start_session", `{}`)
	child, _ := call("dispatch_child", `{"session_index":"`+top+`"}`)
	if len(child) != 6 || child == top {
		t.Errorf("child %q of %q", child, top)
	}
	if got, failed := call("get_workflow", `{"session_token":"x","session_index":"`+top+`"}`); failed || got != top {
		t.Errorf("got %q, want %q", got, top)
	}
	for _, args := range []string{`{"session_index":"` + top + `","unknown":1}`, `{"session_index":"auto"}`, `{}`} {
		if _, failed := call("dispatch_child", args); !failed {
			t.Errorf("dispatch_child accepts %s", args)
		}
	}
	first, _ := call("start_session", `{"planning_folder":"/plans/x"}`)
	if again, failed := call("start_session", `{"planning_folder":"/plans/x"}`); failed || again != first || first == top {
		t.Errorf("a planning folder's session is %q, then %q", first, again)
	}
	if _, failed := call("peek", `{}`); failed {
		t.Error("peek requires an index")
	}
	if _, failed := call("get_workflow", `{"session_index":"`+strings.ToLower(top)+`"}`); !failed && strings.ToLower(top) != top {
		t.Error("a wrong index was repaired")
	}
}
