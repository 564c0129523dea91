package relay

import (
	"errors"
	"time"

	"wsi/hook/carry"
	"wsi/hook/handles"
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
	if !c.owner.agents && e.handles.Shared(key) { // the ids may be another agent's
		return "", e.handles.Append(key, r)
	}
	told, err = e.handles.Tell(key, r, nil, func() ([]handles.Alias, error) { return e.aliases(rules, c) })
	return told, errors.Join(err, e.handles.Append(key, r))
}

// aliases returns what the model reads instead of values of the server.
func (e *engine) aliases(rules inForce, c toolCall) (all []handles.Alias, err error) {
	texts, err := ruleset.Aliases(e.sets(rules, c.owner), e.vault, e.of(c))
	for _, alias := range texts {
		all = append(all, handles.Alias{Server: e.server, Text: alias})
	}
	return all, err
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
