package twin

import (
	"encoding/json"
	"testing"
)

func TestPermitMustStayPureJSON(t *testing.T) {
	out, err := Permit("mcp__plexus__loopback_permit", []byte(`{"input":{"command":"ls"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	if ok, err := Permitted(v.Content[0].Text); !ok || err != nil {
		t.Errorf("untouched: %v, %v", ok, err)
	}
	if ok, err := Permitted(v.Content[0].Text + "\nwsi: a note"); ok || err == nil {
		t.Error("an appended sentence must break it")
	}
}
