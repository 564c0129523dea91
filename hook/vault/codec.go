package vault

import (
	"encoding/json"
	"errors"

	"wsi/hook/carry"
)

// file is a session's file.
type file struct {
	Version int `json:"version"`
	carry.State
}

func encode(s carry.State) ([]byte, error) { return json.Marshal(file{version, s}) }

// decode decodes what encode wrote. Its errors quote nothing of the file.
func decode(raw []byte) (carry.State, error) {
	var f file
	err := json.Unmarshal(raw, &f)
	if wrong := new(json.UnmarshalTypeError); f.Version > version && (err == nil || errors.As(err, &wrong)) {
		return carry.State{}, ErrNewer // the rest may have another form
	}
	if err != nil || f.Version < 1 {
		return carry.State{}, errCorrupt
	}
	return f.State, nil
}
