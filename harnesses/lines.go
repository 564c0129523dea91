package harnesses

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"wsi/internal/rawjson"
)

// maxLine bounds a line of a record, in bytes. Longer ones were only seen with several pictures in them.
const maxLine = 16 << 20

// Why parts of a record are skipped.
const (
	LineTooLong = "a line is longer than 16 MB"
	LineNoJSON  = "a line is not JSON, or was cut off"
)

// EachLine calls line for every line of a record that is a JSON object, and skip for the others. The members are
// valid until line returns. The error is that of reading.
func EachLine(r io.Reader, line func(rawjson.Members), skip func(why string)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	var long []byte // the beginning of a line that is longer than the buffer
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if tooLong = tooLong || len(long)+len(part) > maxLine; !tooLong {
				long = append(long, part...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(long) > 0 {
			part = append(long, part...)
		}
		if tooLong {
			skip(LineTooLong)
		} else {
			oneLine(part, line, skip)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		long, tooLong = long[:0], false
	}
}

func oneLine(text []byte, line func(rawjson.Members), skip func(why string)) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	members, err := rawjson.Object(text)
	if err != nil {
		skip(LineNoJSON)
		return
	}
	line(members)
}

// Members returns, for each of the lines with which a record begins, the names of the object's members and the
// strings that they hold. A line that the bytes cut off has those before the cut; what is no object has none.
func Members(begin []byte) (lines []map[string]string) {
	for line := range bytes.Lines(begin) {
		members := map[string]string{}
		lines = append(lines, members)
		d := json.NewDecoder(bytes.NewReader(line))
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			continue
		}
		for {
			name, err := d.Token()
			key, ok := name.(string)
			if err != nil || !ok {
				break
			}
			var value json.RawMessage
			members[key] = ""
			if d.Decode(&value) != nil {
				break
			}
			members[key], _ = rawjson.Unquote(value)
		}
	}
	return lines
}
