package endpoint

import "testing"

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
