"""Hands recorded events of the Agent SDK to the callbacks in WSI_TEST_DIR, which run a real wsi.

WSI_TEST_EVENTS has a line for each event, with the answer that the callbacks for TypeScript gave. The SDK for Python
hands its callbacks the same events, as dicts.
"""

import asyncio
import json
import os
import re
import sys
import types

sdk = types.ModuleType("claude_agent_sdk")
sdk.HookMatcher = types.SimpleNamespace  # hooks() imports nothing else of it
sys.modules["claude_agent_sdk"] = sdk
sys.path.insert(0, os.environ["WSI_TEST_DIR"])
import wsi  # noqa: E402


async def answer(event):
    [matcher] = wsi.hooks()[event["hook_event_name"]]
    if not re.search(matcher.matcher, event["tool_name"]):
        sys.exit(f"{matcher.matcher} does not match {event['tool_name']}")
    [callback] = matcher.hooks
    return await callback(event, event["tool_use_id"], None)


async def main():
    with open(os.environ["WSI_TEST_EVENTS"]) as recorded:
        lines = [json.loads(line) for line in recorded]
    wrong = carried = 0
    for line in lines:
        got = await answer(line["event"])
        carried += "hookSpecificOutput" in got
        if got != line["answer"]:
            wrong += 1
            print(f"{line['event']['hook_event_name']} of {line['event']['tool_name']}: {got}, want {line['answer']}")
    if wrong or not carried:
        sys.exit(f"{wrong} of {len(lines)} answers differ, {carried} carry a value")


asyncio.run(main())
