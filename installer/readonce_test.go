package installer

import (
	"reflect"
	"testing"

	"wsi/harnesses/setup"
)

// With ReadOnce, a look reads each file once and finds the same.
func TestReadOnce(t *testing.T) {
	o, _ := inMemory(messy)
	for _, h := range o.Harnesses {
		o.Harnesses = []setup.Harness{h}
		counts := map[string]int{}
		counted := o
		counted.Env.ReadFile = func(path string) ([]byte, error) {
			counts[path]++
			return o.Env.ReadFile(path)
		}
		look := func(o Options) (Status, []setup.Choice, setup.Mode) {
			s, err := Inspect(o, h)
			if err != nil {
				t.Fatal(err)
			}
			choices, mode := Modes(o, h)
			return s, choices, mode
		}
		s1, c1, m1 := look(o)
		s2, c2, m2 := look(counted.ReadOnce())
		if !reflect.DeepEqual(s1, s2) || !reflect.DeepEqual(c1, c2) || m1 != m2 {
			t.Errorf("%s: %+v %v %s, want %+v %v %s", h.ID, s2, c2, m2, s1, c1, m1)
		}
		for path, n := range counts {
			if n > 1 {
				t.Errorf("%s: %s is read %d times", h.ID, path, n)
			}
		}
	}
}
