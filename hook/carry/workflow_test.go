package carry

// WorkflowServer is the built-in rule for the workflow-server, as far as these tests go; package rules
// holds the file's.
func WorkflowServer(server string) Rule {
	path := func(kind Kind, name string) Source { return Source{Kind: kind, Path: Path(name)} }
	const token, handle, parent = "session_token", "checkpoint_handle", "parent_session_token"
	return Rule{
		Server: server, Scope: ScopeAgent,
		Tools: Tools{
			"start_session", "discover", "list_workflows", "health_check", "resolve_operations", "get_workflow", "next_activity",
			"get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint", "respond_checkpoint", "get_trace",
			"get_workflow_status", "get_skills", "get_skill", "get_resource",
		},
		Capture: Capture{
			Tools: Tools{"*"},
			From: []Source{
				path(Meta, token), path(Structured, token), path(Structured, handle), path(JSON, token), path(JSON, handle),
				{Kind: Text, Pattern: Pattern(`(?m)^session_token: (\S+)$`)},
			},
			Key: []Source{path(InsideOf, "sid"), path(InsideOf, "aid")},
		},
		Inside: Reading{Order: "seq", ChildOf: "psid"},
		Flow: Flow{
			Opens: Tools{"start_session"}, Parent: parent,
			Changes: Tools{"next_activity", "yield_checkpoint", "respond_checkpoint"},
			Keeps:   Tools{"present_checkpoint", "resume_checkpoint"},
			Lost:    []Source{path(JSON, "recovered"), path(Structured, "recovered")},
		},
		Inject: []Inject{{
			Tools: Tools{"*"}, Except: Tools{"discover", "list_workflows", "health_check", "resolve_operations"},
			Argument: token, Choose: "only", Unless: []string{handle}, Otherwise: tell,
		}},
		Repair: []RepairRule{{Tools: Tools{"*"}, Arguments: []Path{token, handle, parent}}},
	}
}
