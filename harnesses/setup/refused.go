package setup

import (
	"errors"
	"slices"
)

// Refused returns an [InvalidConfigError] if the harness would ignore this hook file or part of it. What its own program says
// of the file as a whole outranks what wsi knows.
func (h Harness) Refused(env Env, file HookFile, content []byte) error {
	if h.Hooks.Validate == nil {
		return nil
	}
	err := h.Hooks.Validate(file, content)
	if h.Hooks.Ask == nil || env.Asked == nil || slices.Contains([]Origin{OfManaged, OfPlugin}, file.Origin) {
		return err
	}
	known, said := env.Asked(env, h, content)
	var rule InvalidConfigError
	switch found := errors.As(err, &rule); {
	case !known && found && rule.Listed:
		rule.Why += ", as wsi's list says; " + h.Name + " was not asked"
		return rule
	case !known:
		return err
	case said != nil && found && !rule.Listed: // the rule is more exact
		rule.Before = ""
		return rule
	}
	return said
}
