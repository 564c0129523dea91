package carry

import "slices"

// Rule says which value of one server is carried where.
type Rule struct {
	Server   string   // name as registered with the harness
	Argument string   // the argument the value belongs into
	Unless   []string // arguments that make it unnecessary
	Names    []string // the names under which results hand the value out, the best first
	Opens    []string // tools whose results begin a chain of their own; never injected
	Parent   string   // argument of an opening call that makes the new chain a child's
	Without  []string // further tools that take no value
	Changes  []string // tools that change the server's session, so that their value must not be passed over
	Keeps    []string // tools after which the value from before is as good as the one they hand out
	Tools    []string // all tools known, for harnesses that name a tool without its server
}

// WorkflowServer is the rule for the workflow-server up to 2026-05-17, under the name it is
// registered with. Tools and names are those of its main branch of 2026-05-13.
func WorkflowServer(server string) Rule {
	return Rule{
		Server:   server,
		Argument: "session_token",
		Unless:   []string{"checkpoint_handle"},
		Names:    []string{"session_token", "checkpoint_handle"},
		Opens:    []string{"start_session"},
		Parent:   "parent_session_token",
		Without:  []string{"discover", "list_workflows", "health_check", "resolve_operations"},
		Changes:  []string{"next_activity", "yield_checkpoint", "respond_checkpoint", "resume_checkpoint"},
		Keeps:    []string{"present_checkpoint", "resume_checkpoint"},
		Tools: []string{
			"start_session", "discover", "list_workflows", "health_check", "resolve_operations", "get_workflow",
			"next_activity", "get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint",
			"respond_checkpoint", "get_trace", "get_workflow_status", "get_skills", "get_skill", "get_resource",
		},
	}
}

func (r *Rule) opens(tool string) bool { return slices.Contains(r.Opens, tool) }

// Takes tells whether calls of the tool carry a value.
func (r *Rule) Takes(tool string) bool { return !r.opens(tool) && !slices.Contains(r.Without, tool) }

// Knows tells whether the rule lists the tool by name.
func (r *Rule) Knows(tool string) bool { return slices.Contains(r.Tools, tool) }
