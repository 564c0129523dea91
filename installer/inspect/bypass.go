package inspect

import (
	"fmt"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Bypass is a registration that a harness starts without wsi relay.
type Bypass struct {
	Text, Fix string
	Certain   bool // the harness uses it, however it is started
}

// Bypasses returns the registrations of a server without wsi relay. found are those that the harness has. If it is only one, the
// harness uses that one; else it is not known which of them it uses.
func Bypasses(env setup.Env, h setup.Harness, found []setup.Server, name string) (all []Bypass) {
	found = lists.Filter(found, func(s setup.Server) bool { return s.Name == name && !s.Disabled && (s.URL != "" || len(s.Command) > 0) })
	usual := lists.Filter(found, func(s setup.Server) bool { return s.With == "" && s.Blocked == "" })
	for _, s := range found {
		if _, _, wrapped := setup.ParseRelayCommand(s.Command); wrapped {
			continue
		}
		b := Bypass{
			Text: fmt.Sprintf("%s is also registered in %s, without wsi relay: if %s uses that one, nothing is carried", s.Name, s.File, h.Name),
			Fix:  "remove it there",
		}
		switch {
		case s.With != "":
			b.Text = fmt.Sprintf("%s uses %s as %s registers it, without wsi relay: nothing is carried there", s.With, s.Name, s.File)
		case len(usual) == 1 && s.Blocked == "":
			b.Certain = true
			b.Text = fmt.Sprintf("%s uses %s as %s registers it, without wsi relay: nothing is carried", h.Name, s.Name, s.File)
		}
		if scope, known := ServersIn(env, h, s.File); known {
			b.Fix += ", or run wsi setup with --scope " + string(scope)
		}
		all = append(all, b)
	}
	return all
}
