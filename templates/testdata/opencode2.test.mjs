// Tests of the rendered OpenCode plugin without OpenCode 2: recorded events of OpenCode 2.0.15 and a wsi that is a
// shell script. Run by plugin_test.go, which renders the plugin into WSI_TEST_DIR.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const dir = process.env.WSI_TEST_DIR;
const recorded = (name) => JSON.parse(readFileSync(new URL(`opencode2/${name}.json`, import.meta.url), "utf8"));

// load imports the plugin with other constants and sets it up as OpenCode does.
let copies = 0;
async function load(constants = {}, { servers = [], parents = {} } = {}) {
  let text = readFileSync(join(dir, "wsi.js"), "utf8");
  for (const [name, value] of Object.entries(constants)) {
    const constant = new RegExp(`^const ${name} = (?:[\\d_]+|false);`, "m");
    assert.match(text, constant);
    text = text.replace(constant, `const ${name} = ${value};`);
  }
  const file = join(dir, `copy${++copies}.js`);
  writeFileSync(file, text);
  const { default: plugin } = await import(file);
  const hooks = {};
  const hook = async (name, callback) => void (hooks[name] = callback);
  const events = [];
  let more = () => {};
  const cleanup = await plugin.setup({
    tool: { hook },
    session: { get: async ({ sessionID }) => ({ id: sessionID, parentID: parents[sessionID] }) },
    mcp: { list: async () => ({ data: ["workflow-server", ...servers].map((name) => ({ name })) }) },
    event: {
      async *subscribe({ signal }) {
        while (!signal.aborted) {
          while (events.length > 0) yield events.shift();
          await new Promise((go) => ((more = go), signal.addEventListener("abort", go)));
        }
      },
    },
  });
  const publish = (event) => (events.push(event), more());
  return { hooks, publish, cleanup };
}

// call plays OpenCode's side of a call up to the end of its first hook.
async function call(hooks, change = {}, recording = "before") {
  const event = { ...recorded(recording), ...change };
  await hooks["execute.before"](event);
  return event;
}
// finish plays the rest: the second hook has the arguments that the first one left.
async function finish(hooks, before, recording = "after") {
  const { sessionID, messageID, id, tool, input } = before;
  const event = { ...recorded(recording), sessionID, messageID, id, tool, input };
  await hooks["execute.after"](event);
  return event;
}

function fake(script) {
  const file = join(dir, "wsi");
  writeFileSync(file, `#!/bin/sh\n{ printf '{"verb":"%s","event":' "$1"; cat; echo '}'; } >> '${dir}/log'\n${script}\n`);
  chmodSync(file, 0o755);
}
const reply = (verb, answer) => fake(`[ "$1" != ${verb} ] || printf '%s\\n' '${JSON.stringify(answer)}'`);
const log = () => (existsSync(join(dir, "log")) ? readFileSync(join(dir, "log"), "utf8").trim().split("\n").map((l) => JSON.parse(l)) : []);
async function open(promise, ms = 80) {
  const still = Symbol();
  return (await Promise.race([promise, sleep(ms, still)])) === still;
}

beforeEach(() => {
  rmSync(join(dir, "log"), { force: true });
  reply("inject", { set: { session_token: "TOKEN" } });
});

test("puts another object in the arguments' place", async () => {
  const { hooks } = await load();
  const input = { label: "l" };
  const event = await call(hooks, { input });
  assert.deepEqual(event.input, { label: "l", session_token: "TOKEN" });
  assert.deepEqual(input, { label: "l" });
  const { sessionID, id, tool } = event;
  assert.deepEqual(log(), [
    { verb: "inject", event: { event: "before", sessionID, rootID: sessionID, callID: id, server: "workflow-server", tool, args: input } },
  ]);
});

test("with a relay in front no mark is the model's own", async () => {
  const { hooks } = await load({ RELAY: true });
  fake("exit 1");
  const event = await call(hooks, { input: { label: "l", _wsi: "ses_2:x" } });
  assert.deepEqual(event.input, { label: "l" });
});

test("hands a result over as the server's, and an error as its text", async () => {
  const { hooks } = await load();
  const event = await finish(hooks, await call(hooks));
  assert.deepEqual(event.result, recorded("after").result);
  const { content, output } = event.result;
  const captured = log().at(-1);
  assert.equal(captured.verb, "capture");
  assert.deepEqual(captured.event.result, { content, structuredContent: output });
  assert.equal(captured.event.args.session_token, "TOKEN");
  const failed = await finish(hooks, await call(hooks, {}, "before.script"), "failed.script");
  assert.deepEqual([log().at(-1).event.event, log().at(-1).event.error], ["failed", failed.error.message]);
});

test("refuses a call with wsi's reason, and lets the next one go on", async () => {
  const { hooks } = await load();
  reply("inject", { deny: "not now" });
  await assert.rejects(call(hooks), { message: "not now" });
  reply("inject", {});
  assert.ok(!(await open(call(hooks, { id: "next" }), 2_000)));
});

test("says behind a call's end what wsi tells the model", async () => {
  const { hooks } = await load();
  reply("inject", { tell: "the newest is 7" });
  const failed = await finish(hooks, await call(hooks, {}, "before.script"), "failed.script");
  assert.equal(failed.error.message, recorded("failed.script").error.message + "\nthe newest is 7");
  reply("inject", { tell: "two sessions" });
  const good = await finish(hooks, await call(hooks));
  assert.deepEqual(good.result.content, [...recorded("after").result.content, { type: "text", text: "two sessions" }]);
});

test("calls of one root go one by one, also those of one script, which share its id", async () => {
  const { hooks } = await load({}, { parents: { ses_child: "ses_root" } });
  const first = await call(hooks, { sessionID: "ses_root" }, "before.script");
  const second = call(hooks, { sessionID: "ses_root" }, "before.script");
  const childs = call(hooks, { sessionID: "ses_child" });
  const others = await call(hooks, { sessionID: "ses_other" });
  assert.ok(await open(second));
  await finish(hooks, others);
  assert.ok(await open(second));
  await finish(hooks, first);
  await second;
  assert.ok(await open(childs));
  await finish(hooks, await second, "failed.script");
  await childs;
  const ids = log().filter(({ verb }) => verb === "inject").map(({ event }) => event.sessionID + " " + event.callID);
  assert.equal(new Set(ids).size, 4, ids.join());
});

test("a call that is interrupted holds up none, nor does one behind it", async () => {
  const { hooks, publish } = await load();
  const first = await call(hooks);
  const second = call(hooks, { id: "second" });
  const third = call(hooks, { id: "third", messageID: "msg_next" });
  assert.ok(await open(third));
  publish({ type: "session.tool.failed", data: { sessionID: first.sessionID, assistantMessageID: first.messageID, id: "second" } });
  assert.ok(await open(third), "the first is in flight still");
  publish({ type: "session.execution.interrupted", data: { sessionID: first.sessionID } });
  await second;
  await third;
  assert.ok(!(await open(call(hooks, { id: "fourth" }), 2_000)));
});

test("leaves tools alone that may be another server's", async () => {
  const { hooks } = await load({}, { servers: ["workflow-server_start"] });
  for (const tool of ["shell", "execute", "workflow-server_start_session", "workflow-server2_x"]) {
    const input = { label: "l" };
    const event = await call(hooks, { tool, input });
    assert.equal(event.input, input);
  }
  assert.deepEqual(log(), []);
});

test("with a relay in front it marks calls and captures nothing", async () => {
  const { hooks } = await load({ RELAY: true });
  await finish(hooks, await call(hooks));
  await finish(hooks, await call(hooks), "failed.script");
  assert.deepEqual(log().map(({ verb }) => verb), ["inject", "inject"]);
});

for (const script of ["", "echo garbage", "echo '[]'", "echo null", "exit 1", "kill -9 $$"]) {
  test(`changes nothing if wsi runs: ${script || "nothing"}`, async () => {
    const { hooks, cleanup } = await load();
    fake(script);
    const before = await call(hooks);
    assert.deepEqual(before.input, recorded("before").input);
    assert.deepEqual((await finish(hooks, before)).result, recorded("after").result);
    const odd = await call(hooks, { input: "no object" });
    assert.equal(odd.input, "no object");
    await hooks["execute.after"]({ ...recorded("after"), input: {} });
    cleanup();
  });
}
