package handles

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What a list of a server looks like: objects in objects, with an id, names and texts.
func listing(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"data":{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"%s%04d","name":"item %d","tags":["a","b"],"owner":{"login":"someone","url":"https://example.org/u/%d"},"note":"a few words about this item, as people write them"}`, uuid[:32], i, i, i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

func BenchmarkScanJSON(b *testing.B) {
	for _, n := range []int{10, 100, 5000} {
		doc := listing(n)
		text := quoted(string(doc))
		b.Run(fmt.Sprint(len(doc)>>10, "KB"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if len(InResult(nil, [][]byte{text}, nil)) != min(n, maxPerScan) {
					b.Fatal("not found")
				}
			}
		})
	}
}

// A failed call whose argument is near none of as many ids as are kept, which begin alike.
func BenchmarkHint(b *testing.B) {
	m, random := Memory{}, rand.New(rand.NewPCG(1, 2))
	id := func() Seen {
		s := fmt.Sprintf("bsk_0000%016x", random.Uint64())
		shape, _ := ShapeOf(s)
		return Seen{ID: s, Field: "basket_id", Shape: shape}
	}
	for i := range maxHandles {
		m.Call(i, "create_basket", nil, []Seen{id()})
	}
	wrong := []Seen{id()}
	for b.Loop() {
		if hint := m.Hint(maxHandles, "shop", wrong, nil); hint != "" {
			b.Fatal(hint)
		}
	}
}
