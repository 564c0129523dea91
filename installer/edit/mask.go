package edit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tidwall/gjson"

	"wsi/harnesses"
)

// secretTables are the keys under which harnesses have headers and variables: their values may be secrets,
// their names are none.
var secretTables = []string{"env", "environment", "headers", "http_headers"}

// Mask returns two versions of a file to be shown, with stars in the place of the values of headers and
// variables. Equal values have equal stars, different ones different stars, so that lines differ in what is
// shown where they differ in the file. A value that only the second version has stays: it is what changes.
func Mask(format harnesses.Format, before, after []byte) (maskedBefore, maskedAfter []byte) {
	stars := map[string]string{}
	for _, at := range secrets(format, before) {
		raw := string(before[at.start:at.end])
		if _, known := stars[raw]; !known {
			stars[raw] = starsFor(raw, len(stars)+1)
		}
	}
	return cover(before, secrets(format, before), stars), cover(after, secrets(format, after), stars)
}

// starsFor keeps the quotes and the number of lines.
func starsFor(raw string, n int) string {
	star := "***"
	if n > 1 {
		star += strconv.Itoa(n)
	}
	lines := strings.Split(raw, "\n")
	if len(lines) == 1 {
		return raw[:1] + star + raw[len(raw)-1:]
	}
	for i := range lines {
		lines[i] = star + "." + strconv.Itoa(i+1)
	}
	return strings.Join(lines, "\n")
}

func cover(text []byte, values []span, stars map[string]string) []byte {
	var cuts []cut
	for _, at := range values {
		if star, ok := stars[string(text[at.start:at.end])]; ok {
			cuts = append(cuts, cut{at.start, at.end, star})
		}
	}
	if cuts == nil {
		return text
	}
	return splice(text, cuts...)
}

// secrets are the places of the values. A file that cannot be read has none that wsi would know of.
func secrets(format harnesses.Format, content []byte) []span {
	mentions := func(key string) bool { return bytes.Contains(content, []byte(key)) }
	if !slices.ContainsFunc(append([]string{"bearer"}, secretTables...), mentions) {
		return nil
	}
	if format == harnesses.TOML {
		return tomlSecrets(content)
	}
	return jsonSecrets(content)
}

// secret tells whether the value of the last of these keys is one.
func secret(path []string) bool {
	last := len(path) - 1
	if last < 0 {
		return false
	}
	if key := path[last]; strings.HasPrefix(key, "bearer") && !strings.HasSuffix(key, "_env_var") {
		return true
	}
	return last > 0 && slices.Contains(secretTables, path[last-1])
}

func jsonSecrets(content []byte) (all []span) {
	d, err := parse(content, true)
	if err != nil {
		return nil
	}
	shift, root := len(d.mark), d.root()
	var walk func(path []string, of gjson.Result)
	walk = func(path []string, of gjson.Result) {
		of.ForEach(func(key, value gjson.Result) bool {
			at := append(path[:len(path):len(path)], key.Str)
			switch {
			case value.Type == gjson.String && secret(at):
				all = append(all, span{shift + value.Index, shift + value.Index + len(value.Raw)})
			case value.Type == gjson.JSON:
				walk(at, value)
			}
			return true
		})
	}
	walk(nil, gjson.Result{Type: gjson.JSON, Raw: string(d.plain()[root.start:root.end]), Index: root.start})
	return all
}

func tomlSecrets(content []byte) (all []span) {
	d, err := openDocument(content)
	if err != nil {
		return nil
	}
	list, err := items(d.text)
	if err != nil {
		return nil
	}
	shift := len(d.mark)
	var walk func(path []string, v node)
	walk = func(path []string, v node) {
		if v.kind == unstable.String && secret(path) {
			all = append(all, span{shift + v.start, shift + v.end})
		}
		for _, k := range v.kids {
			walk(append(path[:len(path):len(path)], k.key...), k.val)
		}
	}
	for _, it := range list {
		if it.kind == unstable.KeyValue {
			walk(it.path, it.value)
		}
	}
	return all
}
