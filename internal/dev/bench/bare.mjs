// The same interceptor as bare/main.go, for Node: what most hooks are written in.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const file = join(homedir(), ".claude", "workflow-server-tokens", "current.token");

function read() {
  try {
    return JSON.parse(readFileSync(0, "utf8"));
  } catch {
    return null;
  }
}

function inject(event) {
  const input = event.tool_input ?? {};
  if (event.tool_name.endsWith("__start_session")) return;
  if (input.session_token !== undefined || input.checkpoint_handle !== undefined) return;
  let token;
  try {
    token = readFileSync(file, "utf8");
  } catch {
    return;
  }
  const answer = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      updatedInput: { ...input, session_token: token },
    },
  };
  process.stdout.write(JSON.stringify(answer) + "\n");
}

function capture(event) {
  const token = event.tool_response?._meta?.session_token;
  if (!token) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, token, { mode: 0o600 });
}

const event = read();
if (event?.tool_name?.startsWith("mcp__workflow-server__")) {
  if (process.argv[2] === "inject") inject(event);
  if (process.argv[2] === "capture") capture(event);
}
