package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"wsi/relay/wire"
)

type event struct {
	name  string // "" is "message"
	id    string // to resume after it
	data  []byte // valid until the next event
	retry time.Duration
}

const mark = "\ufeff"

var errTooLarge = errors.New("a message is too large")

// events calls found with every event of a stream, until the stream ends or found returns an error. It returns
// nil at the end of the stream.
func events(in io.Reader, found func(event) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var e event
	var line []byte
	begun := false
	if begin, _ := r.Peek(len(mark)); string(begin) == mark {
		_, _ = r.Discard(len(mark)) // which the specification of event streams says to ignore
	}
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > wire.MaxMessage {
				return errTooLarge
			}
			continue
		}
		if err != nil { // an incomplete event is ignored
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for _, one := range bytes.Split(bytes.TrimRight(line, "\r\n"), []byte{'\r'}) {
			if len(one) > 0 {
				e.field(one)
				begun = true
				if len(e.data) > wire.MaxMessage {
					return errTooLarge
				}
				continue
			}
			if !begun {
				continue
			}
			e.data = bytes.TrimSuffix(e.data, []byte{'\n'})
			if err := found(e); err != nil {
				return err
			}
			e, begun = event{id: e.id}, false
		}
		line = line[:0]
	}
}

func (e *event) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		e.name = string(value)
	case "data":
		e.data = append(append(e.data, value...), '\n')
	case "id":
		if !bytes.ContainsRune(value, 0) {
			e.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
}
