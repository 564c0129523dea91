package live

import (
	"strings"
	"testing"
)

func TestNews(t *testing.T) {
	long, other := strings.Repeat("a", 300), strings.Repeat("ß", 200)
	for _, c := range []struct{ last, now, want string }{
		{"", "all", "all"},
		{"short", "short and new", "short and new"},
		{long, long, "<300 bytes as before>"},
		{long + "x", long + "x new", "<301 bytes as before> new"},
		{long + other, long + "new" + other, "<300 bytes as before>new<400 bytes as before>"},
		{long + "ä", long + "ö", "<301 bytes as before>"}, // half a letter is none
		{long, strings.Repeat("a", 500), "<300 bytes as before>" + strings.Repeat("a", 200)},
	} {
		if got := news(c.last, c.now); got != c.want {
			t.Errorf("%.20q... then %.20q...: %q, want %q", c.last, c.now, got, c.want)
		}
	}
}
