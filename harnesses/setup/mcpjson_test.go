package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMCPServers(t *testing.T) {
	got, err := MCPServers("/f", []byte(`{
	 "b": {"url":"http://x"},
	 "a": {"command":"node","args":["s.js"],"env":{"KEY":"v","N":1,"ON":true},"cwd":"/d"},
	 "odd": {"command":"x","env":"none","cwd":7}}`), Form{})
	want := []Server{
		{Name: "a", File: "/f", Command: []string{"node", "s.js"}, Dir: "/d", Env: map[string]string{"KEY": "v", "N": "1", "ON": "true"}},
		{Name: "b", File: "/f", URL: "http://x"},
		{Name: "odd", File: "/f", Command: []string{"x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// An invalid entry does not hide others.
func TestMCPServersOneByOne(t *testing.T) {
	got, err := MCPServers("/f", []byte(`{
	 "a": {"command":"node","args":["-p", 3000]},
	 "b": {"command":{"path":"x"},"args":[]},
	 "c": true,
	 "d": {"command":"d"}}`), Form{})
	want := []Server{{Name: "a", File: "/f", Command: []string{"node", "-p", ""}}, {Name: "b", File: "/f"}, {Name: "c", File: "/f"}, {Name: "d", File: "/f", Command: []string{"d"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const says = "mcpServers in /f: a: expected a string, found a number\n" +
		"mcpServers in /f: b: expected a string, found an object\nmcpServers in /f: c: expected an object, found true or false"
	if err == nil || err.Error() != says {
		t.Errorf("%v", err)
	}
}
