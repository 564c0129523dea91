package wizard

import (
	"context"

	"wsi/harnesses"
	"wsi/installer"
)

// lookAt returns the status of a harness, and its version unless that is known.
func lookAt(ctx context.Context, o installer.Options, h harnesses.Harness, version string) (installer.Status, string) {
	s, err := installer.Inspect(o, h)
	if err != nil {
		s.State, s.Why = installer.Unclear, err.Error()
	}
	if version == "" {
		version = o.Env.Version(ctx, s.Presence.Binary)
	}
	return s, version
}
