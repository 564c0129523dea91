"""Callbacks that run wsi in a program built on the Claude Agent SDK for Python (3.10 or newer).

    from claude_agent_sdk import ClaudeAgentOptions
    from wsi import hooks
    options = ClaudeAgentOptions(hooks=hooks())

Needed only where the program does not load the settings that `wsi setup` wrote. Whatever goes
wrong, the callbacks answer with nothing and the call goes on.
"""

import asyncio
import json
import re

WSI = "__WSI__"
SERVERS = ["__SERVERS__"]
LIMIT = 10  # seconds for wsi to answer, the wait for a transcript line included


async def pre_tool_use(input_data, tool_use_id=None, context=None):
    return await _run("inject", input_data)


async def post_tool_use(input_data, tool_use_id=None, context=None):
    return await _run("capture", input_data)


post_tool_use_failure = post_tool_use


def hooks():
    """Return the callbacks as ClaudeAgentOptions takes them."""
    from claude_agent_sdk import HookMatcher

    names = "|".join(re.sub(r"[^A-Za-z0-9_-]", "_", server.split("=")[0]) for server in SERVERS)
    matcher = f"^mcp__(plugin_.+_)?({names})__"
    return {
        "PreToolUse": [HookMatcher(matcher=matcher, hooks=[pre_tool_use])],
        "PostToolUse": [HookMatcher(matcher=matcher, hooks=[post_tool_use])],
        "PostToolUseFailure": [HookMatcher(matcher=matcher, hooks=[post_tool_use_failure])],
    }


async def _run(verb, event):
    process = None
    try:
        servers = [word for server in SERVERS for word in ("--server", server)]
        process = await asyncio.create_subprocess_exec(
            WSI, verb, "--harness", "claude-code", *servers,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        out, _ = await asyncio.wait_for(process.communicate(json.dumps(event).encode()), LIMIT)
        answer = json.loads(out) if process.returncode == 0 and out.strip() else {}
        return answer if isinstance(answer, dict) else {}
    except Exception:
        return {}
    finally:
        if process is not None and process.returncode is None:
            process.kill()
