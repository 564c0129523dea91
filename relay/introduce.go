package relay

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"wsi/internal/atomicfile"
	"wsi/internal/jsonraw"
	"wsi/internal/plainfile"
	"wsi/internal/state"
	"wsi/relay/remote"
	"wsi/relay/wire"
)

// callerKey is the member of a call's _meta that tells the server who calls.
const callerKey = "wsi/caller"

// callerHeaders are the headers that repeat the members of callerKey over HTTP.
var callerHeaders = map[string]string{"conversation": "Wsi-Conversation", "agent": "Wsi-Agent"}

// namer makes the ids by which a server knows callers. Only with the key, which never leaves the machine, can one tell that an
// id belongs to an id of the harness, or to one that another server got.
type namer struct {
	harness, server string
	key             func() []byte // nil if there is none
}

func newNamer(env Env, opt Options, harness string) namer {
	return namer{harness, opt.Server, sync.OnceValue(func() []byte {
		key, err := secretKey(stateDir(env, opt))
		if err != nil {
			fmt.Fprintf(env.Stderr, "wsi relay: cannot tell %s who calls: %v\n", opt.Server, err)
		}
		return key
	})}
}

// secretKey returns the key of this machine, and makes it first if there is none. Other relays may do the same.
func secretKey(dir string) ([]byte, error) {
	if dir == "" {
		return nil, errors.New("no folder to keep a key in: set HOME or WSI_STATE_DIR")
	}
	path := filepath.Join(dir, state.CallerKey)
	key, err := plainfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = atomicfile.Replace(path, nil, key, 0o600)
		}
		if errors.Is(err, atomicfile.ErrChanged) {
			key, err = plainfile.Read(path)
		}
	}
	if err == nil && len(key) != sha256.Size {
		err = fmt.Errorf("%s is damaged; delete it, then wsi gives new ids", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the ids: %w", err)
	}
	return key, nil
}

// name returns what callerKey says of a caller, nil if nothing is known of it.
func (n namer) name(c caller) []byte {
	if !c.isKnown() || c.unnamed || n.key() == nil {
		return nil
	}
	said := fmt.Appendf(nil, `{"conversation":"%s"`, n.id("conversation", c.session))
	if c.agents {
		said = fmt.Appendf(said, `,"agent":"%s"`, n.id("agent", c.session, c.agent))
	}
	return append(said, '}')
}

func (n namer) id(of string, parts ...string) string {
	h := hmac.New(sha256.New, n.key())
	for _, part := range append([]string{of, n.harness, n.server}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// introduce returns a call that says who makes it, which is nil if the server is not told. What the client says of itself there is
// removed: the server would take it for the relay's.
func introduce(m wire.Message, params jsonraw.Members, who []byte) wire.Message {
	meta := params.Get("_meta")
	now := jsonraw.Remove(meta, callerKey)
	if who != nil {
		if now == nil || string(now) == "null" {
			now = []byte("{}")
		}
		if set := jsonraw.Set(now, callerKey, who); set != nil {
			now = set
		}
	}
	if bytes.Equal(now, meta) {
		return m
	}
	m, _ = wire.Parse(jsonraw.Replace(m.Raw, m.Params, jsonraw.Set(m.Params.Value, "_meta", now))) // it was parsed before
	return m
}

// introduction returns the headers of a message that say who makes a call.
func introduction(m wire.Message) (all []remote.Header) {
	if m.Method != "tools/call" || m.ID == nil {
		return nil
	}
	params, _ := jsonraw.ObjectIn(m.Params.Value)
	meta, _ := jsonraw.ObjectIn(params.Get("_meta"))
	said, _ := jsonraw.ObjectIn(meta.Get(callerKey))
	for member, header := range callerHeaders {
		if id := said.String(member); id != "" {
			all = append(all, remote.Header{Name: header, Value: id})
		}
	}
	return all
}
