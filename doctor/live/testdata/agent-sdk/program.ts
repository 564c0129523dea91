// A program built on the Claude Agent SDK. It loads none of the settings files, so that only the callbacks can carry
// a value, and works through one prompt. Its argument is the options as JSON.
import { appendFileSync } from "node:fs";
import { type HookCallback, type HookCallbackMatcher, type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { hooks } from "./wsi.js";

const { prompt, callbacks, record, ...given } = JSON.parse(process.argv[2] ?? "{}") as Options & {
  prompt: string;
  callbacks: boolean; // install them
  record?: string; // a file for their events and answers
};

function recorded(callback: HookCallback): HookCallback {
  return async (input, id, options) => {
    const answer = await callback(input, id, options);
    if (record) appendFileSync(record, JSON.stringify({ event: input, answer }) + "\n");
    return answer;
  };
}

const matchers = (all: HookCallbackMatcher[]) => all.map((one) => ({ ...one, hooks: one.hooks.map(recorded) }));
const installed: Options["hooks"] = {
  PreToolUse: matchers(hooks.PreToolUse),
  PostToolUse: matchers(hooks.PostToolUse),
  PostToolUseFailure: matchers(hooks.PostToolUseFailure),
};

const options: Options = { ...given, settingSources: [], ...(callbacks ? { hooks: installed } : {}) };
for await (const message of query({ prompt, options })) {
  if (message.type === "system" && message.subtype === "init") console.log(JSON.stringify({ session: message.session_id }));
  if (message.type === "result" && message.is_error) throw new Error(message.subtype);
}
