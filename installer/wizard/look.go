package wizard

import (
	"context"

	"wsi/harnesses/setup"
	"wsi/installer"
)

// lookAt returns the status of a harness, and its version unless that is known.
func lookAt(ctx context.Context, o installer.Options, h setup.Harness, version string) (installer.Status, string) {
	s, _ := installer.Inspect(o, h) // the status says why it is unclear
	if version == "" {
		version = o.Env.Version(ctx, s.Presence.Binary)
	}
	return s, version
}
