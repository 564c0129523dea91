// This file belongs to wsi: `wsi setup` writes it anew, `wsi remove` takes it away.
//
// It asks wsi before and after each call of the servers named below, and changes nothing but the
// argument that wsi names and the texts of a result that wsi gives back or adds. A call that wsi refuses is
// not made; if anything fails, the call is made as it was. OpenCode 1 calls the default export's
// `server` (tried from 1.14.34 on), OpenCode 2 its `setup`. OpenCode 1 stops where that returns nothing.
import { spawn } from "node:child_process";

const WSI = "__WSI__";
const SERVERS = ["__SERVERS__"];
// Whose rules a server has that no rule names.
const AS = {};
// Whether wsi relay is in front of the servers. It must learn who calls, and does the rest, because it sees
// every result completely. Calls still go one by one: else those of one message change their order.
const RELAY = false;

// Limits, in milliseconds.
const ANSWER = 5_000; // for wsi to answer; it needs about 5
const LOOKUP = 2_000; // for OpenCode to name a session's parent; it needs about 10
const RUNNING = 2_000; // for the part of a call to be running; it needs 5 to 45
const HOLD = 300_000; // for the call ahead to end, a user asked to permit it included; its part,
// its session's idleness or its result end the wait sooner. Then the value it hands out counts as
// lost: better a stale value than a session that stands still.
const HOLD_UNHEARD = 5_000; // the same where no event told of the call ahead, nor will of its end
const REMEMBERED = 1_000; // sessions, parts and what was told of calls

export default { id: "wsi", server, setup };

// server returns the hooks for OpenCode 1 (1.18.33).
async function server({ client } = {}) {
  const rootOf = roots(async (id) => (await client.session.get({ path: { id } }))?.data);
  const parts = new Map(); // session + call -> its part: { id, status }
  const calls = new Map(); // session + call -> the call in flight
  const lanes = new Map(); // root + server -> the last of its calls in flight
  const told = new Map(); // session + call -> what wsi tells the model of the call
  let others = []; // the other servers
  const serverOf = (tool) => serverAmong(SERVERS, others, tool);

  // Parallel calls would all carry the same value, which all but the first find used up. So a
  // call waits for the one ahead of it.
  async function takeTurn(input, server) {
    const root = await rootOf(input.sessionID);
    const key = keyOf(input.sessionID, input.callID);
    end(calls.get(key)); // ids are unique within one message only
    const lane = root + "\n" + server;
    const call = { key, lane, root, session: input.sessionID, over: signal(), running: signal() };
    call.ahead = lanes.get(lane);
    calls.set(key, call);
    lanes.set(lane, call);
    notice(call);
    for (let ahead = next(call); ahead && !call.ended; ahead = ahead.ended ? next(ahead) : undefined) {
      const free = Promise.race([ahead.over.promise, call.over.promise]);
      await within(HOLD_UNHEARD, free);
      if (ahead.part) await within(HOLD - HOLD_UNHEARD, free);
    }
    if (!call.ended) call.ahead = undefined; // its turn has come
    return call;
  }

  function end(call) {
    if (!call) return;
    call.ended = true;
    call.undo?.();
    call.over.give();
    call.running.give();
    if (calls.get(call.key) === call) calls.delete(call.key);
    if (lanes.get(call.lane) !== call) return;
    const ahead = next(call);
    if (ahead) lanes.set(call.lane, ahead);
    else lanes.delete(call.lane);
  }

  // notice lets a call know what was heard of its part.
  function notice(call) {
    const part = parts.get(call.key);
    if (!part) return;
    call.part = part.id;
    if (part.status === "running") call.running.give();
  }

  async function heard(part) {
    const key = keyOf(part.sessionID, part.callID);
    const call = calls.get(key);
    const { status, error } = part.state;
    if (status === "pending" || status === "running") {
      remember(parts, key, { id: part.id, status });
      if (call) notice(call);
      return;
    }
    if (parts.get(key)?.id === part.id) parts.delete(key);
    if (!call || (call.part && call.part !== part.id)) return;
    // OpenCode shows plugins of a result that is an error its text alone.
    try {
      if (status === "error" && call.sent && !RELAY) await ask("capture", { ...call.sent, event: "failed", error });
    } finally {
      end(call);
    }
  }

  // Calls made by a script in code mode have no part but an entry in the script's.
  function heardOfScript(part) {
    part.state.metadata.toolCalls.forEach(({ status }, i) => {
      const call = calls.get(keyOf(part.sessionID, part.callID + "/" + (i + 1)));
      if (!call) return;
      call.part = part.id;
      call.running.give();
      if (status === "completed" || status === "error") end(call);
    });
  }

  return {
    // A value must not get to a server it does not come from, and a tool's name alone does not
    // tell the server "a" with a tool "b_c" from the server "a_b" with a tool "c".
    config: harmless(async (config) => {
      others = Object.entries(config?.mcp ?? {})
        .filter(([name, entry]) => !SERVERS.includes(name) && entry?.enabled !== false)
        .map(([name]) => name);
    }),

    event: harmless(async ({ event }) => {
      const { type, properties } = event;
      if (type === "message.part.updated" && properties.part?.type === "tool") {
        const { part } = properties;
        if (Array.isArray(part.state.metadata?.toolCalls)) heardOfScript(part);
        if (serverOf(part.tool)) await heard(part);
      }
      if (type === "session.idle" || type === "session.error" || type === "session.deleted") {
        const session = properties.sessionID ?? properties.info?.id;
        for (const call of [...calls.values()]) if (call.session === session) end(call);
      }
    }),

    "tool.execute.before": harmless(async (input, output) => {
      const server = serverOf(input.tool);
      if (!server || !firstToSee(output)) return;
      if (RELAY && isObject(output.args)) delete output.args._wsi; // the relay looks for a note of it, so no model may write it
      const call = await takeTurn(input, server);
      if (call.ended) return;
      const event = {
        event: "before",
        sessionID: input.sessionID,
        rootID: call.root,
        callID: input.callID,
        server,
        tool: input.tool,
        args: output.args,
      };
      const { set, deny, tell } = await ask("inject", event);
      if (typeof tell === "string") remember(told, call.key, tell);
      if (typeof deny === "string") {
        end(call);
        throw new Refusal(deny);
      }
      if (isObject(set) && isObject(output.args)) {
        // Until the part is running, OpenCode stores the very object it passes here, in its
        // database and in what the model reads.
        if (call.part || !ofScript(input.callID)) await within(RUNNING, call.running.promise);
        if (call.ended) return;
        call.undo = assign(output.args, set);
      }
      call.sent = event;
    }),

    // What wsi tells the model stands behind the call's result, error or not, in each request: OpenCode shows
    // no hook the result of a call that failed in time to change it.
    "experimental.chat.messages.transform": harmless(async (_, { messages }) => {
      if (told.size === 0) return;
      for (const { parts } of messages) {
        for (const part of parts) {
          const tell = part.type === "tool" && told.get(keyOf(part.sessionID, part.callID));
          if (tell) mention(part.state, tell);
        }
      }
    }),

    "tool.execute.after": harmless(async (input, output) => {
      const server = serverOf(input.tool);
      if (!server || !firstToSee(output)) return;
      try {
        if (RELAY) return;
        const answer = await ask("capture", {
          event: "after",
          sessionID: input.sessionID,
          rootID: await rootOf(input.sessionID),
          callID: input.callID,
          server,
          tool: input.tool,
          args: input.args,
          result: output,
        });
        if (typeof answer.add === "string" && Array.isArray(output.content)) output.content.unshift({ type: "text", text: answer.add });
      } finally {
        end(calls.get(keyOf(input.sessionID, input.callID)));
      }
    }),
  };
}

// setup registers the hooks for OpenCode 2 (2.0.15). What a hook puts in the arguments' place only the server gets, and
// every call that was made has a second hook, error or not. Hooks see nothing of a result that the model would not read:
// no _meta.
async function setup(ctx) {
  const rootOf = roots((sessionID) => ctx.session.get({ sessionID }));
  const lanes = new Map(); // root + server -> the end of the last of its calls, a promise
  const calls = new Map(); // arguments -> the call in flight: both hooks get the same object
  const uses = new Map(); // session + message + id -> the number of calls with it: those of a script have the script's

  async function before(event) {
    if (!SERVERS.some((name) => event.tool.startsWith(prefix(name))) || !isObject(event.input) || !firstToSee(event)) return;
    const list = await within(LOOKUP, ctx.mcp.list());
    const others = (list?.data ?? []).map(({ name }) => name).filter((name) => !SERVERS.includes(name));
    const { sessionID, messageID, id, tool, input: args } = event;
    const server = serverAmong(SERVERS, others, tool);
    if (!server) return;
    const rootID = await rootOf(sessionID);
    const described = { sessionID, rootID, callID: unique(sessionID, messageID, id), server, tool, args };
    const call = { described, messageID, id, over: signal() };
    event.input = { ...args };
    if (RELAY) delete event.input._wsi;
    calls.set(event.input, call);
    await takeTurn(call);
    if (call.ended) return;
    const { set, deny, tell } = await ask("inject", { event: "before", ...described });
    if (typeof deny === "string") {
      end(call);
      throw new Refusal(deny);
    }
    call.tell = tell;
    if (isObject(set)) Object.assign(event.input, set);
  }

  async function after(event) {
    const call = calls.get(event.input);
    if (!call || !firstToSee(event)) return;
    const { described, tell } = call;
    try {
      const failed = event.status === "error";
      const outcome = failed ? { event: "failed", error: event.error.message } : { event: "after", result: resultOf(event.result) };
      if (!RELAY) await ask("capture", { ...described, args: event.input, ...outcome });
      if (typeof tell !== "string") return;
      if (failed) event.error.message += "\n" + tell;
      else event.result = { ...event.result, content: [...textsOf(event.result), { type: "text", text: tell }] };
    } finally {
      end(call);
    }
  }

  // As in OpenCode 1, a call waits for the one ahead of it.
  async function takeTurn(call) {
    const lane = call.described.rootID + "\n" + call.described.server;
    call.ahead = lanes.get(lane);
    remember(lanes, lane, call.over.promise);
    await within(HOLD, Promise.race([call.ahead, call.over.promise]));
    if (!call.ended) call.ahead = undefined; // its turn has come
  }

  function end(call) {
    call.ended = true;
    for (const [input, one] of calls) if (one === call) calls.delete(input);
    call.over.give(call.ahead);
  }

  function unique(...ids) {
    const key = ids.join("\n");
    const n = uses.get(key) ?? 0;
    remember(uses, key, n + 1);
    return n === 0 ? ids.at(-1) : ids.at(-1) + "/" + n;
  }

  // A call that was interrupted has no second hook.
  async function watch(signal) {
    for await (const { type, data } of ctx.event.subscribe({ signal })) {
      const tool = /^session\.tool\.(success|failed)$/.test(type);
      if (!tool && !/^session\.execution\.(succeeded|failed|interrupted)$/.test(type)) continue;
      for (const call of [...calls.values()]) {
        const ofCall = call.id === data.id && call.messageID === data.assistantMessageID;
        if (call.described.sessionID === data.sessionID && (ofCall || !tool)) end(call);
      }
    }
  }

  await ctx.tool.hook("execute.before", harmless(before));
  await ctx.tool.hook("execute.after", harmless(after));
  const gone = new AbortController();
  harmless(watch)(gone.signal);
  return () => gone.abort();
}

// next returns the call to wait for. A call that ended before its turn had one ahead of it that may be
// in flight still.
function next({ ahead }) {
  while (ahead?.ended) ahead = ahead.ahead;
  return ahead;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const keyOf = (session, call) => session + "\n" + call;

const ofScript = (call) => /\/\d+$/.test(call);

// assign changes an object in place, for OpenCode ignores another one, and returns how to undo
// it: in code mode OpenCode stores the object later on, too.
function assign(object, values) {
  const before = Object.keys(values).map((key) => [key, Object.hasOwn(object, key), object[key]]);
  Object.assign(object, values);
  return () => before.forEach(([key, had, value]) => (had ? (object[key] = value) : delete object[key]));
}

// mention adds a sentence to what the model reads of a call's end, once.
function mention(state, tell) {
  for (const text of ["output", "error"]) {
    if (typeof state?.[text] === "string" && !state[text].endsWith(tell)) state[text] += "\n" + tell;
  }
}

// textsOf returns what the model reads of a result of OpenCode 2.
const textsOf = ({ content, output }) =>
  content ?? [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output ?? null) }];

// resultOf returns the CallToolResult that OpenCode 2 made a result of. The output is the structured content, or else the
// texts, decoded where they are JSON.
const resultOf = (result) => ({ content: textsOf(result), ...(isObject(result.output) && { structuredContent: result.output }) });

const word = (server) => (Object.hasOwn(AS, server) ? server + "=" + AS[server] : server);

// OpenCode 1.18.33 and 2.0.15 name a tool so.
const prefix = (server) => server.replace(/[^a-zA-Z0-9_-]/gu, "_") + "_";

// serverAmong returns the one of ours with the longest name that fits the tool's, if none of the
// others' fits as well and is as long.
function serverAmong(ours, others, tool) {
  const longest = (names) =>
    names.filter((name) => tool.startsWith(prefix(name))).sort((a, b) => prefix(b).length - prefix(a).length)[0];
  const [own, other] = [longest(ours), longest(others)];
  return own !== undefined && (other === undefined || prefix(other).length < prefix(own).length) ? own : undefined;
}

// Refusal is the one error that a hook may throw. The model reads its message in the result's place.
class Refusal extends Error {}

// harmless makes a hook that throws nothing else: an error before a call would stop it, one after it
// would take its result's place.
function harmless(hook) {
  return async (...args) => {
    try {
      await hook(...args);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // The call goes on as it is. `wsi doctor` tells what is wrong.
    }
  };
}

// firstToSee is false for what another copy of this plugin, in another folder, saw already.
function firstToSee(output) {
  const seen = (globalThis[Symbol.for("wsi.seen")] ??= new WeakSet());
  if (seen.has(output)) return false;
  seen.add(output);
  return true;
}

function signal() {
  const s = {};
  s.promise = new Promise((give) => (s.give = give));
  return s;
}

// within waits for a promise, but not longer than a limit.
async function within(limit, promise) {
  let timer;
  const late = new Promise((give) => (timer = setTimeout(give, limit)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function remember(map, key, value) {
  map.delete(key);
  map.set(key, value);
  if (map.size > REMEMBERED) map.delete(map.keys().next().value);
}

// roots returns what tells the session that a sub-agent's session descends from, "find" being what looks a session up. What
// cannot be found out is not remembered, and the session counts as its own root.
function roots(find) {
  const known = new Map(); // session -> its topmost ancestor
  return async (session) => {
    if (known.has(session)) return known.get(session);
    let root = session;
    try {
      for (const path = new Set(); !path.has(root); ) {
        path.add(root);
        const found = await within(LOOKUP, find(root));
        if (!found) return session;
        if (!found.parentID) break;
        root = found.parentID;
      }
    } catch {
      return session;
    }
    remember(known, session, root);
    return root;
  };
}

// ask runs wsi with an event and returns its answer, an empty one whatever goes wrong. It is
// asynchronous: OpenCode must go on writing its database meanwhile.
async function ask(verb, event) {
  const text = JSON.stringify(event);
  const args = [verb, "--harness", "opencode", ...SERVERS.flatMap((server) => ["--server", word(server)])];
  if (RELAY) args.push("--relay");
  // Without env, a child of OpenCode's runtime gets the environment OpenCode was started with.
  const child = spawn(WSI, args, { env: process.env, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
  const done = signal();
  let out = "";
  child.on("error", done.give);
  child.on("close", (code) => done.give(code));
  child.stdout.setEncoding("utf8").on("data", (chunk) => (out += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(text);
  if ((await within(ANSWER, done.promise)) !== 0) {
    child.kill("SIGKILL");
    child.stdout.destroy(); // a child of its own may hold it open
    return {};
  }
  const answer = out.trim() ? JSON.parse(out) : {};
  return isObject(answer) ? answer : {};
}
