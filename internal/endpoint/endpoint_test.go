package endpoint

import "testing"

// Only https, and the loopback, keep what is sent from other machines.
func TestUnencrypted(t *testing.T) {
	for address, want := range map[string]bool{
		"http://flows.example/mcp": true, "HTTP://192.168.1.9:8080": true, "http://[fe80::1]/": true, "http://localhost.example": true,
		"http://0.0.0.0:80/": false, "http://localhost:80/mcp": false, "http://LOCALHOST": false, "http://app.localhost/": false,
		"http://127.0.0.9": false, "http://[::1]:80": false, "https://flows.example": false, "nonsense": false, "": false,
	} {
		if got := Unencrypted(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
