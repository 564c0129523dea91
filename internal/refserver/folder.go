package refserver

import (
	"encoding/json"
	"fmt"

	"wsi/internal/refserver/statedir"
)

type folder string

// ReadLedger returns the calls that the servers of a folder received, in order. The servers may be running.
func ReadLedger(dir string) ([]Call, error) { return folder(dir).ledger() }

// ReadIssued returns every token that the servers of a folder issued. Use it to search for leaked tokens, never to
// print them.
func ReadIssued(dir string) ([]string, error) { return folder(dir).issued() }

func (f folder) update(change func(*state) (Call, error)) error {
	return statedir.Dir(f).Update(func(old []byte) (any, any, error) {
		var st state
		if old != nil {
			if err := json.Unmarshal(old, &st); err != nil {
				return nil, nil, fmt.Errorf("read the server's state: %w", err)
			}
		}
		call, err := change(&st)
		return st, call, err
	})
}

func (f folder) ledger() ([]Call, error) { return statedir.Ledger[Call](statedir.Dir(f)) }

func (f folder) issued() ([]string, error) {
	var st state
	err := statedir.Dir(f).State(&st)
	return st.issued(), err
}
