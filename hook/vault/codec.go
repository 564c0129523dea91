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
	c := &coder{out: make([]byte, 0, 16<<10)} // a long session of workflow-server has 8 KB
	number := version
	c.out = append(c.out, '{')
	c.number("version", &number)
	c.state(&s)
	sum := checksum(c.out)
	c.key(sumKey)
	return append(strconv.AppendUint(c.out, uint64(sum), 10), '}')
}

// decode decodes what encode wrote, or encoding/json in an older wsi. It ignores unknown members and treats
// null as missing. Its errors quote nothing of the file.
func decode(raw []byte) (carry.State, error) {
	members, err := rawjson.Object(raw)
	if err != nil || !intact(raw, members) {
		return carry.State{}, errCorrupt
	}
	c := &coder{decoding: true, members: members}
	var number int
	switch c.number("version", &number); {
	case c.failed || number < 1:
		return carry.State{}, errCorrupt
	case number > version: // the rest may have another form
		return carry.State{}, ErrNewer
	}
	var s carry.State
	if c.state(&s); c.failed {
		return carry.State{}, errCorrupt
	}
	return s, nil
}

// sumKey is the last member of a session's file: the checksum of everything before it. In a power failure, only
// some pages of an overwritten file may reach the disk.
const sumKey = "sum"

var sumTable = *crc32.IEEETable

// checksum returns the CRC-32 of a file. With a copy of its own table, package crc32 does not first make the tables for
// long texts, which takes longer than a file of this size does.
func checksum(raw []byte) uint32 {
	return crc32.Checksum(raw, &sumTable)
}

// intact reports whether a file's checksum is right. A file without one, of an older wsi, counts as intact.
func intact(raw []byte, m rawjson.Members) bool {
	if len(m) == 0 || !m[len(m)-1].Is(sumKey) {
		return true
	}
	last := m[len(m)-1]
	end := last.Start - len(`,"`+sumKey+`":`)
	return end > 0 && string(last.Value) == strconv.FormatUint(uint64(checksum(raw[:end])), 10)
}

func (c *coder) state(s *carry.State) {
	list(c, "chains", &s.Chains, object((*coder).chain))
	list(c, "uses", &s.Uses, object((*coder).use))
	list(c, "notes", &s.Notes, object((*coder).note))
	list(c, "said", &s.Said, object((*coder).said))
	list(c, "foreign", &s.Foreign, text)
	c.numberIfAny("next", &s.Next)
	c.numberIfAny("clock", &s.Clock)
}

func (c *coder) chain(v *carry.Chain) {
	c.number("id", &v.ID)
	c.text("server", &v.Server)
	c.textIfAny("key", &v.Key)
	c.text("value", &v.Value)
	list(c, "older", &v.Older, text)
	listOrNull(c, "seen", &v.Seen, text)
	list(c, "branches", &v.Branches, text)
	list(c, "peers", &v.Equivalents, text)
	list(c, "since", &v.Since, text)
	list(c, "shown", &v.Shown, object((*coder).shown))
	c.textIfAny("by", &v.By)
	c.textIfAny("aside", &v.SideOf)
}

func (c *coder) shown(v *carry.Shown) {
	c.text("argument", (*string)(&v.Argument))
	c.text("digest", &v.Digest)
}

func (c *coder) use(v *carry.Use) {
	c.text("server", &v.Server)
	c.textIfAny("agent", &v.Agent)
	c.number("chain", &v.Chain)
	c.numberIfAny("side", &v.Side)
	c.flag("back", &v.Back)
	c.flag("joined", &v.Provisional)
	c.flag("unsure", &v.Unsure)
	c.flag("lost", &v.Lost)
	c.numberIfAny("at", &v.At)
}

func (c *coder) said(v *carry.Said) {
	c.text("server", &v.Server)
	c.textIfAny("agent", &v.Agent)
	c.textIfAny("about", &v.About)
	c.text("member", &v.Member)
	c.text("digest", &v.Digest)
	c.numberIfAny("again", &v.Again)
}

func (c *coder) note(v *carry.Note) {
	c.text("server", &v.Server)
	c.textIfAny("agent", &v.Agent)
	c.text("id", &v.ID)
	c.numberIfAny("at", &v.At)
	c.flag("opens", &v.Opens)
	c.flag("child", &v.Child)
	c.flag("parent", &v.Parent)
	c.flag("keeps", &v.Keeps)
	c.flag("changes", &v.Changes)
	c.textIfAny("asked", &v.Carried)
	c.flag("handle", &v.Handle)
	c.flag("whole", &v.Whole)
	c.flag("back", &v.Back)
	c.numberIfAny("aside", &v.Side)
	c.flag("answered", &v.Answered)
	c.flag("failed", &v.Failed)
	c.numberIfAny("tries", &v.Tries)
	listOrNull(c, "files", &v.Files, text)
	listOrNull(c, "from", &v.From, number)
}
