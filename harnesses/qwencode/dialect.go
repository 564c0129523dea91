// Package qwencode is what hooks and relays must know of Qwen Code. Package setup/qwencode has the rest.
package qwencode

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "qwen-code"

// Dialect returns how Qwen Code speaks with servers. 0.15.10 sets no session variable.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Older: true, Capabilities: harnesses.Capabilities{SessionVariable: "QWEN_CODE_SESSION_ID"}}
}
