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

func TestHeaders(t *testing.T) {
	for word, want := range map[string]HeaderVar{
		"A=B":                      {"A", "", "B"},
		"Authorization=Bearer TOK": {"Authorization", "Bearer", "TOK"},
		"X-Key=ApiKey A=B":         {"X-Key", "ApiKey", "A=B"},
	} {
		got, ok := ParseHeader(word)
		if !ok || got != want || got.String() != word {
			t.Errorf("%q is %+v, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "A", "A=", "=B", "A= B", "A=B ", "A=B  C", "A=B C D", "A B=C", "A=B\tC", "A=B\n", "\x1b=B", "A=\x7f B"} {
		if h, ok := ParseHeader(word); ok {
			t.Errorf("%q is %+v", word, h)
		}
	}
}
