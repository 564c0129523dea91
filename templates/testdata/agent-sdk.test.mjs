// Tests of the Agent SDK's callbacks, run by sdk_test.go on the rendered module in WSI_TEST_DIR.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const dir = process.env.WSI_TEST_DIR;
const sdk = await import(join(dir, "wsi.mjs"));
const PRE = JSON.parse(readFileSync(new URL("agent-sdk/sdk-pre-callback.json", import.meta.url), "utf8"));
const POST = JSON.parse(readFileSync(new URL("agent-sdk/sdk-post-callback.json", import.meta.url), "utf8"));
const ANSWER = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { session_token: "T" } } };

function fake(script) {
  const file = join(dir, "wsi");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

test("hands the input to wsi and returns its answer", async () => {
  fake(`echo "$@" > '${dir}/argv'; cat > '${dir}/event'; echo '${JSON.stringify(ANSWER)}'`);
  assert.deepEqual(await sdk.preToolUse(PRE, "id", { signal: new AbortController().signal }), ANSWER);
  assert.equal(readFileSync(join(dir, "argv"), "utf8"), "inject --harness claude-code --server workflow-server --server other.one\n");
  assert.deepEqual(JSON.parse(readFileSync(join(dir, "event"), "utf8")), PRE);
  await sdk.postToolUse(POST, "id", {});
  assert.match(readFileSync(join(dir, "argv"), "utf8"), /^capture /);
  assert.deepEqual(JSON.parse(readFileSync(join(dir, "event"), "utf8")), POST);
});

test("registers all three for the servers' tools only", () => {
  assert.deepEqual(Object.keys(sdk.hooks), ["PreToolUse", "PostToolUse", "PostToolUseFailure"]);
  for (const [{ matcher, hooks }] of Object.values(sdk.hooks)) {
    assert.equal(hooks.length, 1);
    for (const name of ["mcp__workflow-server__x", "mcp__plugin_p_workflow-server__x", "mcp__other_one__x"]) assert.match(name, new RegExp(matcher));
    for (const name of ["Bash", "mcp__workflow-server-2__x", "mcp__other-one__x"]) assert.doesNotMatch(name, new RegExp(matcher));
  }
});

for (const script of ["", "echo garbage", "echo '[]'", "echo null", `echo '${JSON.stringify(ANSWER)}'; exit 1`, "kill -9 $$", "exec sleep 30", "sleep 30 & sleep 30"]) {
  test(`answers with nothing if wsi runs: ${script || "nothing"}`, async () => {
    fake(script);
    const started = performance.now();
    assert.deepEqual(await sdk.preToolUse(PRE, "id", {}), {});
    assert.ok(performance.now() - started < 10_000);
  });
}

test("answers with nothing if there is no wsi, or the program gives up", async () => {
  rmSync(join(dir, "wsi"));
  assert.deepEqual(await sdk.preToolUse(PRE, "id", {}), {});
  fake("exec sleep 30");
  const abort = new AbortController();
  const started = performance.now();
  setTimeout(() => abort.abort(), 50);
  assert.deepEqual(await sdk.preToolUse(PRE, "id", { signal: abort.signal }), {});
  assert.ok(performance.now() - started < 1_500);
  assert.deepEqual(await sdk.preToolUse(PRE, "id", { signal: abort.signal }), {});
  const circle = {};
  circle.self = circle;
  assert.deepEqual(await sdk.preToolUse(circle, "id", {}), {});
});
