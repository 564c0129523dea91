package vault

import (
	"hash/crc32"
	"slices"
	"strconv"
	"sync/atomic"

	"wsi/hook/carry"
	"wsi/internal/jsonform"
	"wsi/internal/rawjson"
)

// encode puts a session into an empty slice as encoding/json does, with a version before it and a checksum after it.
func encode(out []byte, s carry.State) []byte {
	out = slices.Grow(out, 8<<10) // a long session of workflow-server has so much
	out = strconv.AppendInt(append(out, `{"version":`...), version, 10)
	out = jsonform.Append(out, &s)
	sum := checksum(out)
	return append(strconv.AppendUint(append(out, `,"`+sumKey+`":`...), uint64(sum), 10), '}')
}

// decode decodes what encode wrote, or encoding/json in an older wsi. Its errors quote nothing of the file.
func decode(raw []byte) (s carry.State, err error) {
	members, err := rawjson.Object(raw)
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

var sumTable = *crc32.IEEETable

var sums atomic.Uint32 // checksums so far

// checksum returns the CRC-32 of a file. With a copy of its own table, package crc32 does not first make the tables for
// long texts, which takes longer than the few files of a hook do.
func checksum(raw []byte) uint32 {
	if sums.Add(1) > 8 {
		return crc32.ChecksumIEEE(raw)
	}
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
