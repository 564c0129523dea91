// This file belongs to wsi: `wsi setup` writes it anew, `wsi remove` takes it away.
//
// It asks wsi before and after each call of the servers named below, and changes nothing but the
// argument that wsi names and the texts of a result that wsi gives back. Of servers whose ids are kept it
// shows wsi each result, and adds to a summary the ids that wsi lists. A call that wsi refuses is
// not made; if anything fails, the call is made as it was. OpenCode skips a plugin that exports
// anything but functions, and one whose init returns nothing stops its start.
import { spawn } from "node:child_process";

const WSI = "__WSI__";
const SERVERS = ["__SERVERS__"];
// Whose rules a server has that no rule names.
const AS = {};
// The servers whose ids are kept.
const HANDLES = [];
// Whether another wsi stands in front of the servers. It has to be told who calls, and does the rest, for
// it sees every result whole. Calls still go one by one: else those of one message change their order.
const JOIN = false;

// Limits, in milliseconds.
const ANSWER = 5_000; // for wsi to answer; it needs about 5
const LOOKUP = 2_000; // for OpenCode to name a session's parent; it needs about 10
const RUNNING = 2_000; // for the part of a call to be running; it needs 5 to 45
const HOLD = 300_000; // for the call ahead to end, a user asked to permit it included; its part,
// its session's idleness or its result end the wait sooner. Then the value it hands out counts as
// lost: better a stale value than a session that stands still.
const HOLD_UNHEARD = 5_000; // the same where no event told of the call ahead, nor will of its end
const REMEMBERED = 1_000; // sessions, parts and what was told of calls

export const wsi = async ({ client } = {}) => {
  const roots = new Map(); // session -> its topmost ancestor
  const parts = new Map(); // session + call -> its part: { id, status }
  const calls = new Map(); // session + call -> the call in flight
  const lanes = new Map(); // root + server -> the last of its calls in flight
  const told = new Map(); // session + call -> what wsi tells the model of the call
  const failures = new Map(); // session + call -> until wsi has been told that the call failed, a promise
  const lists = new Map(); // session + summary -> the ids that wsi lists, a promise
  let others = []; // the other servers
  const known = (name) => SERVERS.includes(name) || HANDLES.includes(name);
  const anyOf = (tool) => serverAmong([...new Set([...SERVERS, ...HANDLES])], others, tool);
  const serverOf = (tool) => [anyOf(tool)].find((name) => SERVERS.includes(name));
  const keeps = (tool) => [anyOf(tool)].find((name) => HANDLES.includes(name));

  // Parallel calls would all carry the same value, which all but the first find used up. So a
  // call waits for the one ahead of it.
  async function takeTurn(input, server) {
    const root = await rootOf(client, roots, input.sessionID);
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
    const { status, error, input } = part.state;
    if (status === "pending" || status === "running") {
      remember(parts, key, { id: part.id, status });
      if (call) notice(call);
      return;
    }
    if (parts.get(key)?.id === part.id) parts.delete(key);
    const ours = call && !(call.part && call.part !== part.id);
    // OpenCode shows plugins of a result that is an error its text alone.
    try {
      if (status === "error" && ours && call.sent && !JOIN) await failed(key, { ...call.sent, error });
      else if (status === "error" && keeps(part.tool) && !serverOf(part.tool)) await failed(key, eventOf(part, input, { error }));
    } finally {
      if (ours) end(call);
    }
  }

  // failed tells wsi of a failed call. The next request waits for what wsi says of it: OpenCode does not wait for
  // those who hear of a part.
  function failed(key, event) {
    const over = (async () => {
      const { tell } = await ask("capture", { ...(await event), event: "failed" });
      if (typeof tell === "string") remember(told, key, tell);
    })().finally(() => failures.delete(key));
    failures.set(key, over);
    return over;
  }

  // eventOf describes a call of a server whose ids are kept.
  const eventOf = async (call, args, result) => ({
    sessionID: call.sessionID,
    rootID: await rootOf(client, roots, call.sessionID),
    callID: call.callID,
    server: anyOf(call.tool),
    tool: call.tool,
    args,
    ...result,
  });

  // listed returns the ids that stand behind a summary, "" for none. They are the same in every request, and
  // asked for again once OpenCode has restarted, since it does not store them.
  function listed({ sessionID, id }) {
    const key = keyOf(sessionID, id);
    if (!lists.has(key)) remember(lists, key, list(sessionID));
    return lists.get(key);
  }

  async function list(sessionID) {
    const rootID = await rootOf(client, roots, sessionID);
    const { tell } = await ask("capture", { event: "compacted", sessionID, rootID }).catch(() => ({}));
    return typeof tell === "string" ? tell : "";
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
        .filter(([name, entry]) => !known(name) && entry?.enabled !== false)
        .map(([name]) => name);
    }),

    event: harmless(async ({ event }) => {
      const { type, properties } = event;
      if (type === "message.part.updated" && properties.part?.type === "tool") {
        const { part } = properties;
        if (Array.isArray(part.state.metadata?.toolCalls)) heardOfScript(part);
        if (anyOf(part.tool)) await heard(part);
      }
      if (type === "session.idle" || type === "session.error" || type === "session.deleted") {
        const session = properties.sessionID ?? properties.info?.id;
        for (const call of [...calls.values()]) if (call.session === session) end(call);
      }
    }),

    "tool.execute.before": harmless(async (input, output) => {
      const server = serverOf(input.tool);
      if (!server || !firstToSee(output)) return;
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
    // no hook the result of a call that failed in time to change it. Ids stand behind the summary.
    "experimental.chat.messages.transform": harmless(async (_, { messages }) => {
      const summary = HANDLES.length > 0 && messages.findLast(({ info }) => info?.summary === true);
      const text = summary && (await listed(summary.info));
      if (text && !summary.parts.some((part) => part.text === text)) summary.parts.push({ ...partOf(summary), type: "text", text, synthetic: true });
      if (told.size + failures.size === 0) return;
      for (const { parts } of messages) {
        for (const part of parts) {
          if (part.type === "tool") await failures.get(keyOf(part.sessionID, part.callID))?.catch(() => {});
          const tell = part.type === "tool" && told.get(keyOf(part.sessionID, part.callID));
          if (tell) mention(part.state, tell);
        }
      }
    }),

    "tool.execute.after": harmless(async (input, output) => {
      if (!anyOf(input.tool) || !firstToSee(output)) return;
      try {
        if (JOIN && !keeps(input.tool)) return;
        const answer = await ask("capture", await eventOf(input, input.args, { event: "after", result: output }));
        if (isObject(answer.output)) rewrite(output, answer.output);
      } finally {
        end(calls.get(keyOf(input.sessionID, input.callID)));
      }
    }),
  };
};

// next returns the call to wait for. A call that ended before its turn had one ahead of it that may be
// in flight still.
function next({ ahead }) {
  while (ahead?.ended) ahead = ahead.ahead;
  return ahead;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const keyOf = (session, call) => session + "\n" + call;

// partOf returns the ids of a message, for a part of it.
const partOf = ({ info }) => ({ id: "prt_wsi", messageID: info.id, sessionID: info.sessionID });

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

// rewrite puts the strings of one result into another of the same shape, in place: other plugins may
// hold parts of it.
function rewrite(into, from) {
  for (const [key, value] of Object.entries(from)) {
    const old = Object.hasOwn(into, key) ? into[key] : undefined;
    if (typeof value === "string" && typeof old === "string") into[key] = value;
    else if (value && old && typeof value === "object" && typeof old === "object") rewrite(old, value);
  }
}

const word = (server) => (Object.hasOwn(AS, server) ? server + "=" + AS[server] : server);

// OpenCode 1.18.33 names a tool so.
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

// rootOf returns the session that a sub-agent's session descends from. What cannot be found out
// is not remembered, and the session counts as its own root.
async function rootOf(client, roots, session) {
  if (roots.has(session)) return roots.get(session);
  let root = session;
  try {
    for (const path = new Set(); !path.has(root); ) {
      path.add(root);
      const answer = await within(LOOKUP, client.session.get({ path: { id: root } }));
      if (!answer?.data) return session;
      if (!answer.data.parentID) break;
      root = answer.data.parentID;
    }
  } catch {
    return session;
  }
  remember(roots, session, root);
  return root;
}

// ask runs wsi with an event and returns its answer, an empty one whatever goes wrong. It is
// asynchronous: OpenCode must go on writing its database meanwhile.
async function ask(verb, event) {
  const text = JSON.stringify(event);
  const args = [verb, "--harness", "opencode", ...SERVERS.flatMap((server) => ["--server", word(server)])];
  if (verb === "capture") args.push(...HANDLES.flatMap((server) => ["--handles", server]));
  if (JOIN) args.push("--join");
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
