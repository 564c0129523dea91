// Tests of the rendered OpenCode plugin without OpenCode: recorded events of OpenCode 1.18.33 and a
// wsi that is a shell script. Run by plugin_test.go, which renders the plugin into WSI_TEST_DIR.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const dir = process.env.WSI_TEST_DIR;
const recorded = (name) => JSON.parse(readFileSync(new URL(`opencode/${name}.json`, import.meta.url), "utf8"));
const [PENDING, RUNNING, COMPLETED] = recorded("event.part.wait-running");
const FAILED = recorded("after.error").part;
const BEFORE = recorded("before.get_activity");
const AFTER = recorded("after.get_activity");
const TOOL = BEFORE.input.tool;

// load imports the plugin with other limits and starts it.
let copies = 0;
async function load(limits = {}, client) {
  let text = readFileSync(join(dir, "wsi.js"), "utf8");
  for (const [name, value] of Object.entries(limits)) {
    const constant = new RegExp(`^const ${name} = (?:[\\d_]+|false);`, "m");
    assert.match(text, constant);
    text = text.replace(constant, `const ${name} = ${value};`);
  }
  const file = join(dir, `copy${++copies}.js`);
  writeFileSync(file, text);
  const { default: plugin } = await import(file);
  return plugin.server({ client: client ?? { session: { get: async () => ({ data: {} }) } } });
}

// fake puts a script where wsi should be. It logs each event, and what it prints follows.
function fake(script) {
  const file = join(dir, "wsi");
  writeFileSync(file, `#!/bin/sh\n{ printf '{"verb":"%s","event":' "$1"; cat; echo '}'; } >> '${dir}/log'\n${script}\n`);
  chmodSync(file, 0o755);
}
const inject = (set) => reply("inject", { set });
const reply = (verb, answer) => fake(`[ "$1" != ${verb} ] || printf '%s\\n' '${JSON.stringify(answer)}'`);
const log = () => (existsSync(join(dir, "log")) ? readFileSync(join(dir, "log"), "utf8").trim().split("\n").map((l) => JSON.parse(l)) : []);
const verbs = () => log().map(({ verb, event }) => `${verb} ${event.callID}`);

beforeEach(() => {
  rmSync(join(dir, "log"), { force: true });
  inject({ session_token: "TOKEN" });
});

// part is a recorded part event about another call.
function part(recording, callID, { sessionID = "ses_1", id = "prt_" + callID, ...rest } = {}) {
  const event = structuredClone({ type: recording.type, properties: recording.properties });
  Object.assign(event.properties.part, { sessionID, callID, id, tool: TOOL }, rest);
  return { event };
}
const input = (callID, sessionID = "ses_1", tool = TOOL) => ({ tool, sessionID, callID });

// call plays OpenCode's side of a call up to the end of the hook before it.
async function call(hooks, callID, args = {}, sessionID) {
  await hooks.event(part(PENDING, callID, { sessionID }));
  await hooks.event(part(RUNNING, callID, { sessionID }));
  await hooks["tool.execute.before"](input(callID, sessionID), { args });
  return args;
}
async function answer(hooks, callID, args, sessionID) {
  await hooks["tool.execute.after"]({ ...input(callID, sessionID), args }, structuredClone(AFTER.output));
  await hooks.event(part(COMPLETED, callID, { sessionID }));
}
// open reports whether a promise is still open after a while.
async function open(promise, ms = 80) {
  const still = Symbol();
  return (await Promise.race([promise, sleep(ms, still)])) === still;
}

test("exports what both OpenCodes take, and starts with anything", async () => {
  const module = await import(join(dir, "wsi.js"));
  assert.deepEqual(Object.keys(module), ["default"]);
  assert.deepEqual(Object.entries(module.default).map(([name, value]) => name + " " + typeof value), ["id string", "server function", "setup function"]);
  for (const start of [{}, undefined, { client: null }]) {
    assert.equal(typeof (await module.default.server(start))["tool.execute.before"], "function");
  }
});

test("injects into the same object, and only when the part is running", async () => {
  const hooks = await load();
  const args = { activity_id: "a-1", session_token: "" };
  await hooks.event(part(PENDING, "call_1"));
  const before = hooks["tool.execute.before"](input("call_1"), { args });
  assert.ok(await open(before, 300));
  assert.equal(args.session_token, "");
  await hooks.event(part(RUNNING, "call_1"));
  await before;
  assert.deepEqual(args, { activity_id: "a-1", session_token: "TOKEN" });
  assert.deepEqual(log(), [
    {
      verb: "inject",
      event: {
        event: "before", sessionID: "ses_1", rootID: "ses_1", callID: "call_1", server: "workflow-server", tool: TOOL,
        args: { activity_id: "a-1", session_token: "" },
      },
    },
  ]);
});

test("hands the whole result and the arguments as sent to wsi before the hook ends", async () => {
  const hooks = await load();
  const args = await call(hooks, "call_1", { activity_id: "a-1" });
  const result = structuredClone(AFTER.output);
  await hooks["tool.execute.after"]({ ...input("call_1"), args }, result);
  assert.deepEqual(log()[1], {
    verb: "capture",
    event: {
      event: "after", sessionID: "ses_1", rootID: "ses_1", callID: "call_1", server: "workflow-server", tool: TOOL,
      args: { activity_id: "a-1", session_token: "TOKEN" }, result: AFTER.output,
    },
  });
  assert.deepEqual(result, AFTER.output);
});

test("takes the value out of the arguments when the call is over", async () => {
  const hooks = await load();
  const absent = await call(hooks, "call_1", {});
  await answer(hooks, "call_1", absent);
  assert.deepEqual(absent, {});
  const empty = await call(hooks, "call_2", { session_token: "auto" });
  assert.equal(empty.session_token, "TOKEN");
  await answer(hooks, "call_2", empty);
  assert.deepEqual(empty, { session_token: "auto" });
});

test("with a relay in front wsi is told who calls, before every call and not after it", async () => {
  fake(`printf '%s\\n' "$*" >> '${dir}/words'\nprintf '{"set":{"_wsi":"ses_1:call_1"}}'`);
  const hooks = await load({ RELAY: true });
  const args = await call(hooks, "call_1", { activity_id: "a-1" });
  assert.deepEqual(args, { activity_id: "a-1", _wsi: "ses_1:call_1" });
  await answer(hooks, "call_1", args);
  assert.deepEqual(args, { activity_id: "a-1" });
  const other = await call(hooks, "call_2");
  await hooks.event(part(FAILED, "call_2"));
  assert.deepEqual(other, {});
  assert.deepEqual(verbs(), ["inject call_1", "inject call_2"]);
  assert.match(readFileSync(join(dir, "words"), "utf8"), /^(inject --harness opencode --server workflow-server --relay\n){2}$/);
});

test("with a relay in front no mark is the model's own", async () => {
  const hooks = await load({ RELAY: true });
  fake("exit 1");
  const args = await call(hooks, "call_1", { activity_id: "a-1", _wsi: "ses_2:x" });
  assert.deepEqual(args, { activity_id: "a-1" });
  await answer(hooks, "call_1", args);
  assert.deepEqual(args, { activity_id: "a-1" });
});

test("injects after a limit if no event tells of the part", async () => {
  const hooks = await load({ RUNNING: 150 });
  const args = {};
  const before = hooks["tool.execute.before"](input("call_1"), { args });
  assert.ok(await open(before, 100));
  await before;
  assert.equal(args.session_token, "TOKEN");
});

test("a reused id waits for its own part", async () => {
  const hooks = await load();
  await answer(hooks, "call_1", await call(hooks, "call_1"));
  const args = {};
  await hooks.event(part(PENDING, "call_1", { id: "prt_new" }));
  const before = hooks["tool.execute.before"](input("call_1"), { args });
  await hooks.event(part(COMPLETED, "call_1")); // a late one, of the old part
  assert.ok(await open(before, 200));
  assert.deepEqual(args, {});
  await hooks.event(part(RUNNING, "call_1", { id: "prt_new" }));
  await before;
  assert.equal(args.session_token, "TOKEN");
});

test("parallel calls go one after the other", async () => {
  const hooks = await load();
  const first = await call(hooks, "call_1");
  const second = call(hooks, "call_2");
  const third = call(hooks, "call_3");
  assert.ok(await open(second));
  await answer(hooks, "call_1", first);
  await answer(hooks, "call_2", await second);
  await answer(hooks, "call_3", await third);
  assert.deepEqual(verbs(), ["inject call_1", "capture call_1", "inject call_2", "capture call_2", "inject call_3", "capture call_3"]);
});

test("a failed call tells wsi its text, then lets the next one go", async () => {
  const hooks = await load();
  await call(hooks, "call_1", { activity_id: "a-1" });
  const second = call(hooks, "call_2");
  assert.ok(await open(second));
  await hooks.event(part(FAILED, "call_1"));
  await second;
  assert.deepEqual(verbs(), ["inject call_1", "capture call_1", "inject call_2"]);
  const { event } = log()[1];
  assert.equal(event.event, "failed");
  assert.equal(event.error, "lab tool error");
  assert.deepEqual(event.args, { activity_id: "a-1", session_token: "TOKEN" });
});

for (const type of ["session.idle", "session.error", "session.deleted"]) {
  test(`${type} lets held calls go`, async () => {
    const hooks = await load();
    await call(hooks, "call_1");
    const second = call(hooks, "call_2");
    assert.ok(await open(second));
    await hooks.event({ event: { type, properties: { sessionID: "ses_1" } } });
    assert.ok(!(await open(second, 2_000)));
    assert.deepEqual(await second, {}, "a call whose session ended gets no value");
  });
}

test("an aborted call stops waiting", async () => {
  const hooks = await load();
  await call(hooks, "call_1");
  const second = call(hooks, "call_2");
  assert.ok(await open(second));
  await hooks.event(part(FAILED, "call_2"));
  assert.deepEqual(await second, {});
  assert.deepEqual(verbs(), ["inject call_1"]);
});

for (const [order, late] of [["before", false], ["after", true]]) {
  test(`an aborted call does not let go one that came ${order} it was aborted`, async () => {
    const hooks = await load();
    const first = await call(hooks, "call_1");
    const second = call(hooks, "call_2");
    let third = late ? undefined : call(hooks, "call_3");
    assert.ok(await open(second));
    await hooks.event(part(FAILED, "call_2"));
    await second;
    third ??= call(hooks, "call_3");
    assert.ok(await open(third, 300), "the first call is in flight still");
    await answer(hooks, "call_1", first);
    assert.equal((await third).session_token, "TOKEN");
    assert.deepEqual(verbs(), ["inject call_1", "capture call_1", "inject call_3"]);
  });
}

test("no call is held for ever", async () => {
  const hooks = await load({ HOLD: 300, HOLD_UNHEARD: 100 });
  await call(hooks, "call_1");
  const second = call(hooks, "call_2");
  assert.ok(await open(second, 200));
  assert.equal((await second).session_token, "TOKEN");
});

test("a call of which nothing was heard holds the next one for a short time only", async () => {
  const hooks = await load({ RUNNING: 10, HOLD_UNHEARD: 300 });
  await hooks["tool.execute.before"](input("call_1"), { args: {} });
  const second = call(hooks, "call_2");
  assert.ok(await open(second, 200));
  assert.ok(!(await open(second, 2_000)));
});

test("calls of other sessions are not held", async () => {
  const hooks = await load();
  await call(hooks, "call_1");
  await call(hooks, "call_1", {}, "ses_2");
  assert.deepEqual(log().map(({ event }) => event.sessionID), ["ses_1", "ses_2"]);
});

test("a call in code mode has no part of its own", async () => {
  const hooks = await load({ RUNNING: 20_000 });
  const id = recorded("before.codemode").input.callID;
  const script = id.split("/")[0];
  const entry = (status) => ({ tool: "workflow-server.get_activity", status, input: {} });
  const toolCalls = (...list) =>
    hooks.event(part(RUNNING, script, { tool: "execute", state: { status: "running", metadata: { toolCalls: list } } }));
  await toolCalls(entry("completed"), entry("running"));
  const args = {};
  const started = performance.now();
  await hooks["tool.execute.before"](input(id), { args });
  assert.ok(performance.now() - started < 10_000);
  assert.equal(args.session_token, "TOKEN");
  const next = hooks["tool.execute.before"](input(script + "/3"), { args: {} });
  await toolCalls(entry("completed"), entry("running"), entry("running"));
  assert.ok(await open(next));
  await toolCalls(entry("completed"), entry("error"), entry("running"));
  assert.ok(!(await open(next, 2_000)));
  assert.deepEqual(args, {}, "OpenCode stores them again when the script ends");
});

test("a sub-agent's session is resolved to its root, once", async () => {
  const parents = { ses_3: "ses_2", ses_2: "ses_1" };
  let asked = 0;
  const client = { session: { get: async ({ path: { id } }) => (asked++, { data: { id, parentID: parents[id] } }) } };
  const hooks = await load({}, client);
  const args = await call(hooks, "call_1", {}, "ses_3");
  await answer(hooks, "call_1", args, "ses_3");
  assert.deepEqual(log().map(({ event }) => [event.sessionID, event.rootID]), [["ses_3", "ses_1"], ["ses_3", "ses_1"]]);
  assert.equal(asked, 3);
});

test("calls of a sub-agent and of its parent go one after the other", async () => {
  const client = { session: { get: async ({ path: { id } }) => ({ data: { parentID: id === "ses_2" ? "ses_1" : undefined } }) } };
  const hooks = await load({}, client);
  const args = await call(hooks, "call_1");
  const child = call(hooks, "call_1", {}, "ses_2");
  assert.ok(await open(child));
  await answer(hooks, "call_1", args);
  assert.equal((await child).session_token, "TOKEN");
});

for (const [what, get] of Object.entries({
  "throws": () => { throw new Error("no"); },
  "fails": async () => ({ error: {} }),
  "never answers": () => new Promise(() => {}),
  "goes in circles": async ({ path: { id } }) => ({ data: { parentID: id === "ses_1" ? "ses_2" : "ses_1" } }),
})) {
  test(`a look-up of the parent that ${what} does not stop the call`, async () => {
    const hooks = await load({ LOOKUP: 100 }, { session: { get } });
    assert.equal((await call(hooks, "call_1")).session_token, "TOKEN");
    assert.equal(log()[0].event.sessionID, "ses_1");
  });
}

for (const [what, script] of Object.entries({
  "hangs": "exec sleep 30",
  "hangs and keeps its output open": "sleep 30 & sleep 30",
  "prints garbage": "echo 'Segmentation fault {'",
  "prints half an answer": `printf '{"set":{"session_tok'`,
  "prints a list": "echo '[1]'",
  "prints null": "echo null",
  "prints a set that is none": `echo '{"set":"session_token"}'`,
  "answers and fails": `echo '{"set":{"session_token":"TOKEN"}}'; exit 1`,
  "refuses and fails": `echo '{"deny":"no"}'; exit 1`,
  "refuses without a reason": `echo '{"deny":true}'`,
  "dies": "kill -9 $$",
  "says nothing": "",
})) {
  test(`a wsi that ${what} changes nothing`, async () => {
    fake(script);
    const hooks = await load({ ANSWER: 1_000 });
    const args = { activity_id: "a-1" };
    const started = performance.now();
    await call(hooks, "call_1", args);
    assert.deepEqual(args, { activity_id: "a-1" });
    await answer(hooks, "call_1", args);
    assert.deepEqual(args, { activity_id: "a-1" });
    assert.ok(performance.now() - started < 20_000);
    assert.equal(log().length, 2, "it was run before and after the call");
  });
}

test("a refused call is not made, and the model reads why", async () => {
  reply("inject", { deny: "unknown alias" });
  const hooks = await load();
  const args = { session_token: "wsi:b8bd-3k3v" };
  await assert.rejects(call(hooks, "call_1", args), { message: "unknown alias" });
  assert.deepEqual(args, { session_token: "wsi:b8bd-3k3v" });
  const next = call(hooks, "call_2").catch(() => "refused");
  assert.equal(await Promise.race([next, sleep(2_000)]), "refused", "nothing is held by a call that is not made");
  await hooks.event(part(FAILED, "call_1"));
  assert.deepEqual(verbs(), ["inject call_1", "inject call_2"], "the server answered neither");
});

test("what wsi tells the model stands behind the call's result once, error or not, in each request", async () => {
  fake(`printf '{"tell":"wsi: pass it."}'`);
  const hooks = await load();
  await call(hooks, "call_1", {});
  const transform = hooks["experimental.chat.messages.transform"];
  const messages = () => [
    { info: {}, parts: [{ type: "text", text: "x" }, { type: "tool", sessionID: "ses_1", callID: "call_1", state: { status: "error", error: "Required" } }] },
    { info: {}, parts: [{ type: "tool", sessionID: "ses_1", callID: "call_2", state: { status: "completed", output: "fine" } }] },
    { info: {}, parts: [{ type: "tool", sessionID: "ses_2", callID: "call_1", state: { status: "completed", output: "fine" } }] },
  ];
  for (let request = 0; request < 2; request++) {
    const output = { messages: messages() };
    await transform({}, output);
    await transform({}, output);
    const [first, ...others] = output.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
    assert.equal(first.state.error, "Required\nwsi: pass it.");
    for (const other of others) assert.equal(other.state.output, "fine");
  }
  for (const odd of [{}, { messages: null }, { messages: [{}] }, { messages: [{ parts: [null] }] }]) await transform({}, odd);
});

test("a wsi that hangs is killed", async () => {
  fake(`echo $$ > '${dir}/pid'; exec sleep 30`);
  await call(await load({ ANSWER: 1_000 }), "call_1");
  const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
  await sleep(200);
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("a wsi that is missing or cannot be run changes nothing", async () => {
  const hooks = await load();
  chmodSync(join(dir, "wsi"), 0o644);
  assert.deepEqual(await call(hooks, "call_1"), {});
  await answer(hooks, "call_1", {});
  rmSync(join(dir, "wsi"));
  assert.deepEqual(await call(hooks, "call_2"), {});
  await answer(hooks, "call_2", {});
});

test("a wsi that reads nothing of a large event changes nothing", async () => {
  writeFileSync(join(dir, "wsi"), "#!/bin/sh\nexit 0\n");
  const hooks = await load();
  const args = { text: "x".repeat(4_000_000) };
  await call(hooks, "call_1", args);
  assert.deepEqual(Object.keys(args), ["text"]);
});

test("other tools are left alone", async () => {
  const hooks = await load();
  for (const tool of ["bash", "workflow-server", "workflow_server_get_activity", "xworkflow-server_get_activity", "invalid", null]) {
    const args = {};
    await hooks["tool.execute.before"](input("call_1", "ses_1", tool), { args });
    await hooks["tool.execute.after"]({ ...input("call_1", "ses_1", tool), args }, AFTER.output);
    assert.deepEqual(args, {});
  }
  assert.deepEqual(log(), []);
});

test("a tool that another server may own is left alone", async () => {
  const hooks = await load();
  const tool = "workflow-server_x_get";
  const mcp = { "workflow-server": {}, "workflow-server.x": { enabled: false }, workflow: {} };
  await hooks.config({ mcp });
  await hooks["tool.execute.before"](input("call_1/1", "ses_1", tool), { args: {} });
  assert.deepEqual(verbs(), ["inject call_1/1"]);
  await hooks.config({ mcp: { ...mcp, "workflow-server_x": {} } });
  await hooks["tool.execute.before"](input("call_2/1", "ses_1", tool), { args: {} });
  assert.deepEqual(verbs(), ["inject call_1/1"]);
});

test("a second copy stays out of the way", async () => {
  const [one, two] = [await load(), await load()];
  const args = {};
  const output = { args };
  for (const hooks of [one, two]) {
    await hooks.event(part(RUNNING, "call_1"));
    await hooks["tool.execute.before"](input("call_1"), output);
  }
  assert.equal(args.session_token, "TOKEN");
  const result = structuredClone(AFTER.output);
  for (const hooks of [one, two]) await hooks["tool.execute.after"]({ ...input("call_1"), args }, result);
  assert.deepEqual(verbs(), ["inject call_1", "capture call_1"]);
});

test("no hook ever throws", async () => {
  const hooks = await load({}, null);
  const circle = {};
  circle.self = circle;
  for (const junk of [undefined, null, {}, { event: null }, { event: { type: "message.part.updated", properties: { part: { type: "tool" } } } }, { tool: TOOL }]) {
    await hooks.config(junk);
    await hooks.event(junk);
    await hooks["tool.execute.before"](junk, junk);
    await hooks["tool.execute.after"](junk, junk);
  }
  await hooks["tool.execute.before"](input("call_1/1"), { args: circle });
  await hooks["tool.execute.after"](input("call_1/1"), { circle });
});

test("two hundred calls leave nothing behind", async () => {
  writeFileSync(join(dir, "wsi"), `#!/bin/sh\necho '{"set":{"session_token":"TOKEN"}}'\n`);
  const hooks = await load();
  const padding = "x".repeat(100_000); // what is kept of a call shows
  const play = async (i) => {
    const id = Buffer.from(padding + i).toString();
    const args = await call(hooks, id);
    if (i % 3 === 0) return hooks.event(part(FAILED, id));
    await answer(hooks, id, args);
  };
  for (let i = 0; i < 20; i++) await play(i);
  globalThis.gc();
  const [heap, resources] = [process.memoryUsage().heapUsed, process.getActiveResourcesInfo().length];
  for (let i = 0; i < 200; i++) await play(i);
  await sleep(50);
  globalThis.gc();
  assert.ok(process.memoryUsage().heapUsed - heap < 4_000_000, "memory of calls");
  assert.ok(process.getActiveResourcesInfo().length <= resources + 2, "timers and processes");
});
