package relay

import (
	"encoding/json"
	"os"
	"strings"

	"wsi/internal/refserver/stdio"
	"wsi/internal/testkit/fakeserver"
)

func init() {
	roles["as-index-server"] = func(args []string) {
		must(stdio.Serve(fakeserver.OpenIndex(args[0]), os.Stdin, os.Stdout))
	}
}

// index returns the index that an answer shows in _meta, "" if it is an error.
func index(answer string) string {
	if strings.Contains(answer, `"isError":true`) {
		return ""
	}
	var a struct {
		Result struct {
			Meta struct {
				Index string `json:"session_index"`
			} `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(answer), &a) != nil {
		return ""
	}
	return a.Result.Meta.Index
}
