package report

// Check is the id of a check. Ids are stable: users write them into --only, and programs read them from the JSON.
type Check string

// The checks of wsi itself.
const (
	WsiBinary  Check = "wsi.binary"
	WsiSetup   Check = "wsi.setup"
	WsiPath    Check = "wsi.path"
	WsiTemp    Check = "wsi.temp"
	WsiState   Check = "wsi.state"
	WsiLedger  Check = "wsi.ledger"
	WsiVault   Check = "wsi.vault"
	WsiJournal Check = "wsi.journal"
	WsiRules   Check = "wsi.rules"
)

// The checks of a harness. In a finding the harness's id is put before them.
const (
	HarnessFound     Check = "harness.found"
	HarnessVersion   Check = "harness.version"
	HookFile         Check = "hook.file"
	HookRegistered   Check = "hook.registered"
	HookOnce         Check = "hook.once"
	HookMatches      Check = "hook.matches"
	ServerRegistered Check = "server.registered"
	ServerCommand    Check = "server.command"
	ServerFronted    Check = "server.fronted"
	HookEnabled      Check = "hook.enabled"
	HookTrusted      Check = "hook.trusted"
	HookListed       Check = "hook.listed"
	HookRunnable     Check = "hook.runnable"
	RelayRunnable    Check = "relay.runnable"
	HookPath         Check = "hook.path"
	HookRival        Check = "hook.rival"
	PluginStart      Check = "plugin.start"
	ServerAnswers    Check = "server.answers"
	ServerReadonly   Check = "server.readonly"
	ServerNeeds      Check = "server.needs"
	RelayNeeded      Check = "relay.needed"
	HookFired        Check = "hook.fired"
	TokenDelivered   Check = "token.delivered"
	LiveDelivered    Check = "live.delivered"
)

// Of returns the id of a finding of the check about a harness, such as "codex.hook.trusted".
func (c Check) Of(harness string) string { return harness + "." + string(c) }
