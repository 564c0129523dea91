package hook

import "testing"

// recordedMongoDB has two results of mongodb-mcp-server 3.0.4, as it wrote them.
var recordedMongoDB = map[string]string{
	"connect": `{"content":[{"type":"text","text":"Successfully connected to MongoDB. Your connectionId is \"7dcb610a-c6e2-4480-bc27-4045e83d946b\" — pass it as the connectionId argument to all MongoDB tool calls that should run against this connection."}],"structuredContent":{"connectionId":"7dcb610a-c6e2-4480-bc27-4045e83d946b"}}`,
	"list-connections": `{"content":[{"type":"text","text":"Active connections:\n- \"7dcb610a-c6e2-4480-bc27-4045e83d946b\" (connected): MongoDB connection (host type: local, auth: scram)\n- \"bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f\" (connected): MongoDB connection (host type: local, auth: scram)"}],"structuredContent":{"connections":[
{"connectionId":"7dcb610a-c6e2-4480-bc27-4045e83d946b","name":"127-0-0-1-e497","source":"explicit","state":"connected","description":"MongoDB connection (host type: local, auth: scram)","createdAt":"2026-11-28T03:31:47.459Z","lastUsedAt":"2026-11-28T03:31:47.459Z"},
{"connectionId":"bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f","name":"staging-e71d","source":"explicit","state":"connected","description":"MongoDB connection (host type: local, auth: scram)","createdAt":"2026-11-28T03:31:48.349Z","lastUsedAt":"2026-11-28T03:31:48.349Z"}]}}`,
}

// An id with a typing error is repaired where a database is read. That of the configured connection stays as it is.
func TestMongoDBConnections(t *testing.T) {
	h := &host{world: newWorld(t), server: "mongodb", session: "s", call: func(_, tool string, _ []byte) ([]byte, error) {
		if result := recordedMongoDB[tool]; result != "" {
			return []byte(result), nil
		}
		return []byte(`{"content":[{"type":"text","text":"Found 3 documents in the collection \"orders\"."}]}`), nil
	}}
	h.do("", "connect", args{"connectionString": "mongodb://127.0.0.1"})
	h.do("", "list-connections", args{})
	const first, second = "7dcb610a-c6e2-4480-bc27-4045e83d946b", "bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f"
	for typed, want := range map[string]string{
		first: first, first[:35]: first, "8" + second[1:]: second, "preconfigured": "preconfigured", "pre-configured": "pre-configured",
	} {
		for _, tool := range []string{"find", "list-databases"} {
			if h.do("", tool, args{"connectionId": typed, "database": "shop"}); h.last["connectionId"] != want {
				t.Errorf("%s of %s: was sent %v", tool, typed, h.last)
			}
		}
		if h.do("", "drop-database", args{"connectionId": typed, "database": "shop"}); h.last["connectionId"] != typed {
			t.Errorf("drop-database of %s: was sent %v", typed, h.last)
		}
	}
	if h.do("", "find", args{"database": "shop"}); h.last["connectionId"] != nil {
		t.Errorf("a call without a connection was sent %v", h.last)
	}
}
