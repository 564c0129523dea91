package carry

import "wsi/internal/rawjson"

// Lane names the calls that must be made one after the other: what one of them is given stands in the
// result of the one before. ok is false if it does not matter when a call is made.
func (r *Rule) Lane(call Call) (lane string, ok bool) {
	in := r.takes(call.Tool)
	switch {
	case in != nil && in.Choose == byKeyOf:
		key, _ := rawjson.Unquote(in.Key.in(call.Args))
		return r.Server + "\x00" + key, true
	case in != nil, r.opens(call.Tool) && !r.OnlyByKey():
		return r.Server + "\x00\x00" + call.Agent, true
	}
	return "", false
}
