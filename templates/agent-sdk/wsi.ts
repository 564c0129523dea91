// Callbacks that run wsi in a program built on the Claude Agent SDK (0.3.329, Node 20 or newer):
//
//   import { hooks } from "./wsi.ts";
//   query({ prompt, options: { hooks } });
//
// Needed only where the program does not load the settings that `wsi setup` wrote, say with
// settingSources: []. Whatever goes wrong, the callbacks answer with nothing and the call goes on.
import { spawn } from "node:child_process";
import type { HookCallback, HookCallbackMatcher, HookJSONOutput } from "@anthropic-ai/claude-agent-sdk";

const WSI = "__WSI__";
const SERVERS = ["__SERVERS__"];
const LIMIT = 10_000; // milliseconds for wsi to answer, the wait for a transcript line included

export const preToolUse: HookCallback = (input, _id, options) => run("inject", input, options?.signal);
export const postToolUse: HookCallback = (input, _id, options) => run("capture", input, options?.signal);
export const postToolUseFailure: HookCallback = postToolUse;

const names = SERVERS.map((server) => server.split("=")[0].replace(/[^A-Za-z0-9_-]/gu, "_"));
const matcher = `^mcp__(plugin_.+_)?(${names.join("|")})__`;

export const hooks = {
  PreToolUse: [{ matcher, hooks: [preToolUse] }] as HookCallbackMatcher[],
  PostToolUse: [{ matcher, hooks: [postToolUse] }] as HookCallbackMatcher[],
  PostToolUseFailure: [{ matcher, hooks: [postToolUseFailure] }] as HookCallbackMatcher[],
};

function run(verb: string, event: unknown, signal?: AbortSignal): Promise<HookJSONOutput> {
  return new Promise((resolve) => {
    let out = "";
    let stop = () => {};
    const timer = setTimeout(() => finish({}), LIMIT);
    const abort = () => finish({});
    const finish = (answer: HookJSONOutput) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      stop();
      resolve(answer);
    };
    try {
      const servers = SERVERS.flatMap((server) => ["--server", server]);
      const child = spawn(WSI, [verb, "--harness", "claude-code", ...servers], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      stop = () => {
        child.kill("SIGKILL");
        child.stdout.destroy();
      };
      child.on("error", () => finish({}));
      child.on("close", (code) => finish(code === 0 ? parse(out) : {}));
      child.stdout.setEncoding("utf8").on("data", (chunk) => (out += chunk));
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(event));
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
    } catch {
      finish({});
    }
  });
}

function parse(text: string): HookJSONOutput {
  try {
    const answer = JSON.parse(text);
    return typeof answer === "object" && answer !== null && !Array.isArray(answer) ? answer : {};
  } catch {
    return {};
  }
}
