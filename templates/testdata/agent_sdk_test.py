"""Tests of the Agent SDK's callbacks, run by sdk_test.go on the rendered module in WSI_TEST_DIR."""

import asyncio
import json
import os
import pathlib
import sys
import time
import types
import unittest

DIR = pathlib.Path(os.environ["WSI_TEST_DIR"])
RECORDED = pathlib.Path(__file__).parent / "agent-sdk"
sys.path.insert(0, str(DIR))
import wsi  # noqa: E402

PRE = json.loads((RECORDED / "sdk-pre-callback.json").read_text())
POST = json.loads((RECORDED / "sdk-post-callback.json").read_text())
ANSWER = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"session_token": "T"}}}


def fake(script):
    file = DIR / "wsi"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


class Callbacks(unittest.TestCase):
    def test_hands_over(self):
        fake(f"echo \"$@\" > '{DIR}/argv'; cat > '{DIR}/event'; echo '{json.dumps(ANSWER)}'")
        self.assertEqual(asyncio.run(wsi.pre_tool_use(PRE, "id", None)), ANSWER)
        argv = "--harness claude-code --server workflow-server --server other.one\n"
        self.assertEqual((DIR / "argv").read_text(), "inject " + argv)
        self.assertEqual(json.loads((DIR / "event").read_text()), PRE)
        asyncio.run(wsi.post_tool_use(POST, "id", None))
        self.assertEqual((DIR / "argv").read_text(), "capture " + argv)
        self.assertEqual(json.loads((DIR / "event").read_text()), POST)

    def test_nothing(self):
        for script in ["", "echo garbage", "echo '[]'", "echo null", f"echo '{json.dumps(ANSWER)}'; exit 1", "kill -9 $$", "exec sleep 30"]:
            with self.subTest(script):
                fake(script)
                start = time.monotonic()
                self.assertEqual(asyncio.run(wsi.pre_tool_use(PRE, "id", None)), {})
                self.assertLess(time.monotonic() - start, 10)
        (DIR / "wsi").unlink()
        self.assertEqual(asyncio.run(wsi.pre_tool_use(PRE, "id", None)), {})
        self.assertEqual(asyncio.run(wsi.pre_tool_use({"not JSON": object()}, "id", None)), {})

    def test_registers(self):
        sdk = types.ModuleType("claude_agent_sdk")
        sdk.HookMatcher = lambda matcher, hooks: (matcher, hooks)
        sys.modules["claude_agent_sdk"] = sdk
        hooks = wsi.hooks()
        self.assertEqual(list(hooks), ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
        for [(matcher, callbacks)] in hooks.values():
            self.assertEqual(matcher, "^mcp__(plugin_.+_)?(workflow-server|other_one)__")
            self.assertEqual(len(callbacks), 1)


unittest.main()
