package vault

import (
	"hash/crc32"
	"strconv"

	"wsi/hook/carry"
	"wsi/internal/jsonform"
	"wsi/internal/jsonraw"
)

// encode encodes a session as encoding/json does, with a version before it and a checksum after it.
func encode(s carry.State) []byte {
	out := make([]byte, 0, 8<<10) // a long session of workflow-server has so much
	out = strconv.AppendInt(append(out, `{"version":`...), version, 10)
	out = jsonform.Append(out, &s)
	sum := crc32.ChecksumIEEE(out)
	return append(strconv.AppendUint(append(out, `,"`+sumKey+`":`...), uint64(sum), 10), '}')
}

// decode decodes what encode wrote, or encoding/json in an older wsi. Its errors quote nothing of the file.
func decode(raw []byte) (s carry.State, err error) {
	members, err := jsonraw.Object(raw)
	if err != nil || !intact(raw, members) {
		return carry.State{}, errCorrupt
	}
	switch number, err := strconv.Atoi(string(members.Get("version"))); {
	case err != nil || number < 1:
		return carry.State{}, errCorrupt
	case number > version: // the rest may have another form
		return carry.State{}, ErrNewer
	}
	if !jsonform.Decode(members, &s) {
		return carry.State{}, errCorrupt
	}
	return s, nil
}

// sumKey is the last member of a session's file: the checksum of everything before it. In a power failure, only
// some pages of an overwritten file may reach the disk.
const sumKey = "sum"

// intact reports whether a file's checksum is right. A file without one, of an older wsi, counts as intact.
func intact(raw []byte, m jsonraw.Members) bool {
	if len(m) == 0 || !m[len(m)-1].Is(sumKey) {
		return true
	}
	last := m[len(m)-1]
	end := last.Start - len(`,"`+sumKey+`":`)
	return end > 0 && string(last.Value) == strconv.FormatUint(uint64(crc32.ChecksumIEEE(raw[:end])), 10)
}
