package edit

import (
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/secret"
)

// MaskSecrets returns a text of another program, such as a command line, with stars in place of possible secrets.
func MaskSecrets(text string) string {
	return secret.Replace(text, secret.In(text), "***")
}

// MaskEntry returns an entry of a file, an object in JSON or a table in TOML, with stars in place of possible secrets and
// of the values of all headers and variables.
func MaskEntry(entry string) string {
	const name = "x = "
	var masked string
	if _, err := setup.DecodeTOML([]byte(entry)); err == nil {
		masked = mask(setup.TOML, entry)
	} else if _, err := setup.DecodeTOML([]byte(name + entry)); err == nil { // an inline table
		masked = strings.TrimPrefix(mask(setup.TOML, name+entry), name)
	} else {
		masked = mask(setup.JSON, entry)
	}
	return MaskSecrets(masked)
}

func mask(format setup.Format, text string) string {
	masked, _ := Mask(format, []byte(text), nil)
	return string(masked)
}
