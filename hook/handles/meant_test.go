package handles

import "testing"

func TestMeant(t *testing.T) {
	var s session
	s.call("create_basket", `{}`, `{"basket_id":"`+uuid+`"}`)
	s.call("create_order", `{}`, `{"order":12345678901234567}`)
	for args, want := range map[string]Damage{
		`{"basket_id":"` + uuid + `"}`:                         0,
		`{"basket_id":"550e8400-e29b-41d4-a716-446655440001"}`: Near,
		`{"basket_id":"550e8400"}`:                             Cut,
		`{"order":12345678901234568}`:                          Rounded,
		`{"order":12345678901234569}`:                          0,
		`{"basket_id":"` + other + `"}`:                        0,
		`["550e8400-e29b-41d4-a716-446655440001"]`:             0, // no member
	} {
		for _, arg := range InArguments([]byte(args), nil) {
			if got := s.Meant(arg); got != want {
				t.Errorf("%s: %d, want %d", args, got, want)
			}
		}
	}
}
