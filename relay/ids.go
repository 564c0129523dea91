package relay

import (
	"errors"
	"time"

	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/hook/handlestore"
	"wsi/hook/journal"
	"wsi/hook/ruleset"
	"wsi/hook/vault"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// keepIDs keeps the ids of a call's arguments and of its answer: a result, or the message of an error of the
// protocol. told is what the model is to read with the answer, "" for nothing.
func (e *engine) keepIDs(rules inForce, c toolCall, result carry.Result, message []byte) (told string, err error) {
	defer func() {
		if p := recover(); p != nil {
			told, err = "", panicError(p)
		}
	}()
	if rules.broken { // a rule may keep a value secret
		return "", nil
	}
	except, err := ruleset.Hides(e.sets(rules, c.owner), e.vault)
	if err != nil {
		return "", err
	}
	texts := [][]byte{message}
	for _, b := range result.Blocks {
		texts = append(texts, b.Text)
	}
	r := handles.Record{
		Time: time.Now(), Harness: e.harness, Server: e.server, Agent: c.owner.agent, Tool: c.tool, Failed: result.Error || message != nil,
		Args: handles.InArguments(c.args, except), Result: handles.InResult(result.Structured, texts, except),
	}
	key := vault.SessionKey(e.harness, c.owner.session)
	told, err = tell(e.handles, key, r)
	return told, errors.Join(err, e.handles.Append(key, r))
}

// tell returns what the model is to read of ids after a call: a hint if it failed, else the list if its conversation
// was compacted.
func tell(store handlestore.Store, key string, r handles.Record) (string, error) {
	if !r.Failed && !store.TakeCompacted(key, r.Agent) {
		return "", nil
	}
	session, err := store.Load(key)
	if err != nil {
		return "", err
	}
	if r.Failed {
		return session.Hint(r.Server, r.Agent, r.Args, nil), nil
	}
	return session.Card(r.Agent), nil
}

// idsDecision is the journal's form of what was done with ids.
func idsDecision(told string) carry.Decision {
	if told != "" {
		return carry.Decision{Action: journal.Told}
	}
	return carry.Decision{Action: journal.Kept}
}

// withHint returns an answer that is an error of the protocol, with a text behind the message.
func withHint(m wire.Message, told string) []byte {
	members, err := rawjson.Object(m.Error.Value)
	message, ok := members.Find("message")
	text, isText := rawjson.Unquote(message.Value)
	if told == "" || err != nil || !ok || !isText {
		return m.Raw
	}
	return rawjson.Replace(m.Raw, m.Error, rawjson.Replace(m.Error.Value, message, rawjson.Quote(text+"\n"+told)))
}
