package handles

// Damage is how a mistyped id differs from the one that it was.
type Damage int

// The kinds of damage.
const (
	Near    Damage = iota + 1 // in a few places
	Cut                       // only the beginning is left
	Rounded                   // as a floating-point number is
)

// Meant returns what is damaged about an argument that was seen nowhere in the session, 0 if it is not the damaged
// form of exactly one id.
func (m *Memory) Meant(s Seen) Damage {
	if m.has(s.ID) || s.Field == "" {
		return 0
	}
	if m.rounded(s) != nil {
		return Rounded
	}
	if m.cut(s) != nil {
		return Cut
	}
	if h, _ := m.near(s); h != nil {
		return Near
	}
	return 0
}
