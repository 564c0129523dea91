// This file belongs to wsi: `wsi setup` rewrites it, `wsi remove` takes it away.
//
// It asks wsi before and after each call of the servers named below. It changes only arguments that wsi names,
// and adds only texts from wsi to a result or an error. A call that wsi refuses is not made. If anything fails,
// the call is made as it was. OpenCode 1 calls `server` of the default export (tried from 1.14.34 on) and
// crashes if that returns nothing. OpenCode 2 calls `setup`.
import { spawn } from "node:child_process";

const WSI = "__WSI__";
const SERVERS = ["__SERVERS__"];
// A server's name -> the server whose rules it gets. A server that is not here gets the rules of its own name.
const AS = {};
// Whether wsi relay is in front of the servers. It sees whole results, so this plugin only tells it who calls. Calls
// still run one after the other: otherwise the calls of one message can change their order.
const RELAY = false;

// Limits, in milliseconds.
const ANSWER = 5_000; // for wsi to answer; that takes about 5
const LOOKUP = 2_000; // for OpenCode to name a session's parent; that takes about 10
const RUNNING = 2_000; // for the part of a call to become "running"; that takes 5 to 45
const HOLD = 300_000; // for the call ahead to end; OpenCode may first ask the user to permit it. The wait ends
// earlier with its result, or with an event about its part or its session. After the limit the next call
// is made: it may carry an old value, but the session goes on.
const HOLD_UNHEARD = 5_000; // if no event has told of the call ahead: then none may tell of its end
const REMEMBERED = 1_000; // not a time: how many entries a map keeps

export default { id: "wsi", server, setup };

// server returns the hooks for OpenCode 1 (1.18.33).
async function server({ client } = {}) {
  const rootOf = roots(async (id) => (await client.session.get({ path: { id } }))?.data);
  const parts = new Map(); // session + call -> its part: { id, status }
  const calls = new Map(); // session + call -> the call in flight
  const lanes = new Map(); // root + server -> the last call in flight
  const told = new Map(); // session + call -> what wsi tells the model about the call
  let others = []; // the other servers
  const serverOf = (tool) => serverAmong(SERVERS, others, tool);

  // Parallel calls would all carry the same value, and after the first call that value is old. So a
  // call waits until the call ahead of it has ended.
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

  // notice records for a call what the events have told about its part.
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
    // If a result is an error, OpenCode shows plugins only its text.
    try {
      if (status === "error" && call.sent && !RELAY) await ask("capture", { ...call.sent, event: "failed", error });
    } finally {
      end(call);
    }
  }

  // In code mode, a call that a script makes has no part of its own, but an entry in the script's part.
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
    // A value must reach only the server that it comes from. A tool's name does not always say which that is:
    // a_b_c can be the tool "b_c" of the server "a", or the tool "c" of the server "a_b".
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
      if (RELAY && isObject(output.args)) delete output.args._wsi; // it names a note for the relay, so no model may write it
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
        // Until the part is running, OpenCode stores this object: the value would get into its database
        // and into what the model reads.
        if (call.part || !ofScript(input.callID)) await within(RUNNING, call.running.promise);
        if (call.ended) return;
        call.undo = assign(output.args, set);
      }
      call.sent = event;
    }),

    // Each request gets what wsi tells the model, after the call's result or error. That cannot be done once, after
    // the call: if a call fails, no hook can change its result before the next request.
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

// setup registers the hooks for OpenCode 2 (2.0.15). If a hook replaces the arguments, only the server gets the new ones.
// The second hook runs after each call, also a failed one, unless the call was interrupted. It sees only what the model
// would read of a result: no _meta.
async function setup(ctx) {
  const rootOf = roots((sessionID) => ctx.session.get({ sessionID }));
  const lanes = new Map(); // root + server -> a promise: the end of the last call
  const calls = new Map(); // arguments -> the call in flight: both hooks get the same object
  const uses = new Map(); // session + message + id -> how many calls have it: those of a script share its id

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

  // As in OpenCode 1, a call waits until the call ahead of it has ended.
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

  // watch ends calls by their events, because no second hook runs after an interrupted call.
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

// next returns the call to wait for: the nearest one ahead that has not ended. A call can end before its turn,
// while the call ahead of it is still in flight.
function next({ ahead }) {
  while (ahead?.ended) ahead = ahead.ahead;
  return ahead;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const keyOf = (session, call) => session + "\n" + call;

const ofScript = (call) => /\/\d+$/.test(call);

// assign changes an object in place, because OpenCode ignores a new one. It returns a function that undoes
// the change: in code mode OpenCode stores the object again later.
function assign(object, values) {
  const before = Object.keys(values).map((key) => [key, Object.hasOwn(object, key), object[key]]);
  Object.assign(object, values);
  return () => before.forEach(([key, had, value]) => (had ? (object[key] = value) : delete object[key]));
}

// mention adds a text to a call's result or error, unless it already ends with that text.
function mention(state, tell) {
  for (const text of ["output", "error"]) {
    if (typeof state?.[text] === "string" && !state[text].endsWith(tell)) state[text] += "\n" + tell;
  }
}

// textsOf returns what the model reads of a result of OpenCode 2.
const textsOf = ({ content, output }) =>
  content ?? [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output ?? null) }];

// resultOf returns the CallToolResult from which OpenCode 2 made a result. The result's output is structuredContent or, if
// there is none, the text, decoded if it is JSON.
const resultOf = (result) => ({ content: textsOf(result), ...(isObject(result.output) && { structuredContent: result.output }) });

const word = (server) => (Object.hasOwn(AS, server) ? server + "=" + AS[server] : server);

// prefix returns how the names of a server's tools begin in OpenCode 1.18.33 and 2.0.15.
const prefix = (server) => server.replace(/[^a-zA-Z0-9_-]/gu, "_") + "_";

// serverAmong returns the server of a tool: of our servers whose prefix the tool's name has, the one with the
// longest. It returns undefined if the prefix of another server fits, too, and is as long or longer.
function serverAmong(ours, others, tool) {
  const longest = (names) =>
    names.filter((name) => tool.startsWith(prefix(name))).sort((a, b) => prefix(b).length - prefix(a).length)[0];
  const [own, other] = [longest(ours), longest(others)];
  return own !== undefined && (other === undefined || prefix(other).length < prefix(own).length) ? own : undefined;
}

// Refusal is the one error that a hook may throw. The model reads its message instead of a result.
class Refusal extends Error {}

// harmless returns a hook that throws only a Refusal. Another error before a call would stop the call, and
// another error after it would replace the result.
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

// firstToSee returns false if another copy of this plugin, in another folder, has already seen the object.
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

// roots returns a function that returns the topmost ancestor of a session, because a sub-agent has a session of its own.
// find looks a session up. If that fails, the session counts as its own root this time.
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

// ask runs wsi with an event and returns its answer, an empty one if wsi fails or is late. It is
// asynchronous, because OpenCode must write its database in the meantime.
async function ask(verb, event) {
  const text = JSON.stringify(event);
  const args = [verb, "--harness", "opencode", ...SERVERS.flatMap((server) => ["--server", word(server)])];
  if (RELAY) args.push("--relay");
  // Without env, wsi would get the environment that OpenCode was started with, not the present one.
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
    child.stdout.destroy(); // a program that wsi has started may hold it open
    return {};
  }
  const answer = out.trim() ? JSON.parse(out) : {};
  return isObject(answer) ? answer : {};
}
