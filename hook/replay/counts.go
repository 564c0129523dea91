package replay

// Counts are what is counted of one server. No member holds anything that a session said.
type Counts struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed"`

	// Ids that the model typed: whole arguments that look like one. Each is of one of the kinds below.
	Typed    int `json:"typed"`
	Exact    int `json:"exact"`    // seen before: in a result, a prompt or the arguments of a call that did not fail
	Near     int `json:"near"`     // differs in a few places from exactly one id of this server
	Cut      int `json:"cut"`      // is the beginning of exactly one
	Rounded  int `json:"rounded"`  // is exactly one as a floating-point number
	Invented int `json:"invented"` // was seen nowhere in the transcript
	Unknown  int `json:"unknown"`  // was not found, but the session was too long to remember everything

	FailedOver int `json:"failed_over"` // calls that failed and passed an id that was not seen before

	Passed int `json:"passed"`  // ids that calls had passed when a compaction came, and that the model still had
	Gone   int `json:"gone"`    // of these, those that the summary does not have
	OnList int `json:"on_card"` // of the gone ones, those that a list would have had

	Hints int `json:"hints"` // failed calls that would have got a hint
	Right int `json:"right"` // the next call that passed an id there passed the one that the hint named
	Wrong int `json:"wrong"` // it passed another one that the model had seen
}

// Add adds other counts.
func (c *Counts) Add(o Counts) {
	c.Calls += o.Calls
	c.Failed += o.Failed
	c.Typed += o.Typed
	c.Exact += o.Exact
	c.Near += o.Near
	c.Cut += o.Cut
	c.Rounded += o.Rounded
	c.Invented += o.Invented
	c.Unknown += o.Unknown
	c.FailedOver += o.FailedOver
	c.Passed += o.Passed
	c.Gone += o.Gone
	c.OnList += o.OnList
	c.Hints += o.Hints
	c.Right += o.Right
	c.Wrong += o.Wrong
}
