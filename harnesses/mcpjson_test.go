package harnesses

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMCPServers(t *testing.T) {
	got, err := MCPServers("/f", []byte(`{
	 "b": {"url":"http://x"},
	 "a": {"command":"node","args":["s.js"],"env":{"KEY":"v","N":1,"ON":true},"cwd":"/d"},
	 "odd": {"command":"x","env":"none","cwd":7}}`))
	want := []Server{
		{Name: "a", File: "/f", Command: []string{"node", "s.js"}, Dir: "/d", Env: map[string]string{"KEY": "v", "N": "1", "ON": "true"}},
		{Name: "b", File: "/f", URL: "http://x"},
		{Name: "odd", File: "/f", Command: []string{"x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
