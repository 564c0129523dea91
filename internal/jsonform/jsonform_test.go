package jsonform

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/internal/jsonraw"
)

type inner struct {
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

type outer struct {
	At     time.Time `json:"t"`
	Text   string    `json:"text"`
	Maybe  string    `json:"maybe,omitempty"`
	On     bool      `json:"on,omitempty"`
	Off    bool      `json:"off"`
	Number int       `json:"number"`
	List   []string  `json:"list"`
	Some   []inner   `json:"some,omitempty"`
	Never  string    `json:"-"`
}

func members(t *testing.T, raw string) jsonraw.Members {
	t.Helper()
	m, err := jsonraw.Object([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, v := range []outer{
		{},
		{
			At: time.Date(2026, 11, 21, 9, 0, 0, 123, time.UTC), Text: "a\\\"é", Maybe: "m", On: true, Off: true, Number: -3,
			List: []string{}, Some: []inner{{}, {"x", 1 << 40}},
		},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got := append(Append([]byte{'{'}, &v), '}')
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("encoding/json (-), this package (+):\n%s", diff)
		}
		var again outer
		if ok := Decode(members(t, string(got)), &again); !ok {
			t.Errorf("%s is not read", got)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Errorf("written (-), read (+):\n%s", diff)
		}
	}
}

// Without tags, what is empty is left out.
func TestWithoutTags(t *testing.T) {
	type plain struct {
		Name  string
		Inner struct{ List []string }
		On    bool
	}
	v := plain{Name: "n"}
	if got := string(Append([]byte{'{'}, &v)); got != `{"Name":"n"` {
		t.Error(got)
	}
	v.Inner.List = []string{"a"}
	if got := string(Append([]byte{'{'}, &v)); got != `{"Name":"n","Inner":{"List":["a"]}` {
		t.Error(got)
	}
}

func TestOtherKinds(t *testing.T) {
	for _, raw := range []string{
		`{"text":1}`, `{"on":"true"}`, `{"number":"1"}`, `{"number":1.5}`, `{"number":1e400}`, `{"number":9223372036854775808}`,
		`{"list":{}}`, `{"list":[1]}`, `{"some":[[]]}`, `{"some":[{"count":true}]}`, `{"t":"soon"}`, `{"t":1}`,
	} {
		v := outer{Text: "kept"}
		if Decode(members(t, raw), &v) || v.Number != 0 || v.On {
			t.Errorf("%s: %+v", raw, v)
		}
	}
	var v outer
	if !Decode(members(t, `{"text":null,"list":null,"some":[null],"t":null,"other":[1],"number":null}`), &v) || len(v.Some) != 1 {
		t.Errorf("null and unknown members: %+v", v)
	}
}
