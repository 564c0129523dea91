package vault

import (
	"hash/crc32"
	"strconv"

	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// encode encodes a session as encoding/json does, but without reflection, which would take a tenth of the
// hook's run time.
func encode(s carry.State) []byte {
	o := &object{b: make([]byte, 0, 16<<10)} // a long session of workflow-server has 8 KB
	o.open().number("version", version)
	if len(s.Chains) > 0 {
		list(o, "chains", s.Chains, encodeChain)
	}
	if len(s.Uses) > 0 {
		list(o, "uses", s.Uses, encodeUse)
	}
	if len(s.Notes) > 0 {
		list(o, "notes", s.Notes, encodeNote)
	}
	if len(s.Foreign) > 0 {
		list(o, "foreign", s.Foreign, (*object).string)
	}
	o.some("next", s.Next).some("clock", s.Clock)
	sum := crc32.ChecksumIEEE(o.b)
	o.key(sumKey)
	o.b = strconv.AppendUint(o.b, uint64(sum), 10)
	return o.close().b
}

// sumKey is the last member of a session's file: the checksum of everything before it. In a power failure, only
// some pages of an overwritten file may reach the disk.
const sumKey = "sum"

// intact reports whether a file's checksum is right. A file without one, of an older wsi, counts as intact.
func intact(raw []byte, m rawjson.Members) bool {
	if len(m) == 0 || !m[len(m)-1].Is(sumKey) {
		return true
	}
	last := m[len(m)-1]
	end := last.Start - len(`,"`+sumKey+`":`)
	return end > 0 && string(last.Value) == strconv.FormatUint(uint64(crc32.ChecksumIEEE(raw[:end])), 10)
}

func encodeChain(o *object, c carry.Chain) {
	o.open().number("id", c.ID).text("server", c.Server).words("key", c.Key).text("value", c.Value)
	if len(c.Older) > 0 {
		list(o, "older", c.Older, (*object).string)
	}
	list(o, "seen", c.Seen, (*object).string)
	if len(c.Branches) > 0 {
		list(o, "branches", c.Branches, (*object).string)
	}
	if len(c.Equivalents) > 0 {
		list(o, "peers", c.Equivalents, (*object).string)
	}
	if len(c.Since) > 0 {
		list(o, "since", c.Since, (*object).string)
	}
	if len(c.Shown) > 0 {
		list(o, "shown", c.Shown, func(o *object, s carry.Shown) {
			o.open().text("argument", string(s.Argument)).text("digest", s.Digest).close()
		})
	}
	o.words("by", c.By).words("aside", c.Aside).close()
}

func encodeUse(o *object, u carry.Use) {
	o.open().text("server", u.Server).words("agent", u.Agent).number("chain", u.Chain)
	o.some("side", u.Side).flag("back", u.Back).flag("joined", u.Joined).flag("unsure", u.Unsure).flag("lost", u.Lost).some("at", u.At).close()
}

func encodeNote(o *object, n carry.Note) {
	o.open().text("server", n.Server).words("agent", n.Agent).text("id", n.ID).some("at", n.At)
	o.flag("opens", n.Opens).flag("child", n.Child).flag("keeps", n.Keeps).flag("changes", n.Changes)
	o.words("asked", n.Asked).flag("handle", n.Handle).flag("whole", n.Whole).flag("back", n.Back).some("aside", n.Aside)
	o.flag("answered", n.Answered).flag("failed", n.Failed).some("tries", n.Tries)
	list(o, "files", n.Files, (*object).string)
	list(o, "from", n.From, func(o *object, from int64) { o.b = strconv.AppendInt(o.b, from, 10) })
	o.close()
}

// object builds JSON member by member. The methods words, flag and some omit zero values.
type object struct{ b []byte }

func (o *object) open() *object {
	o.b = append(o.b, '{')
	return o
}

func (o *object) close() *object {
	o.b = append(o.b, '}')
	return o
}

func (o *object) key(key string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), key...), '"', ':')
}

func (o *object) string(s string) { o.b = rawjson.AppendQuote(o.b, s) }

func (o *object) text(key, s string) *object {
	o.key(key)
	o.string(s)
	return o
}

func (o *object) words(key, s string) *object {
	if s == "" {
		return o
	}
	return o.text(key, s)
}

func (o *object) number(key string, n int) *object {
	o.key(key)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
	return o
}

func (o *object) some(key string, n int) *object {
	if n == 0 {
		return o
	}
	return o.number(key, n)
}

func (o *object) flag(key string, set bool) *object {
	if set {
		o.key(key)
		o.b = append(o.b, "true"...)
	}
	return o
}

func list[T any](o *object, key string, elements []T, element func(*object, T)) {
	o.key(key)
	if elements == nil {
		o.b = append(o.b, "null"...)
		return
	}
	o.b = append(o.b, '[')
	for i, e := range elements {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		element(o, e)
	}
	o.b = append(o.b, ']')
}
