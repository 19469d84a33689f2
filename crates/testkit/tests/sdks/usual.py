"""The usual uses of the official Python SDK, one for each run.

usage: usual.py SIM USE      (USE: an entry of uses.json as JSON)

Prints what the SDK told us as one JSON object. The working directory is the project.
"""

import asyncio
import json
import os
import sys

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    TextBlock,
    create_sdk_mcp_server,
    query,
    tool,
)

sim, use = sys.argv[1], json.loads(sys.argv[2])
prompts = [prompt.replace("$CWD", os.getcwd()) for prompt in use["prompts"]]
seen = {
    "results": [], "subtypes": [], "texts": [], "asked": [], "hooked": [], "added": [],
    "deltas": "", "servers": [],
}
sessions = set()


def note(message):
    if isinstance(message, AssistantMessage) and message.parent_tool_use_id is None:
        seen["texts"] += [block.text for block in message.content if isinstance(block, TextBlock)]
    elif isinstance(message, StreamEvent):
        seen["deltas"] += message.event.get("delta", {}).get("text", "")
    elif isinstance(message, ResultMessage):
        seen["results"].append(message.result)
        seen["subtypes"].append(message.subtype)
        sessions.add(message.session_id)


async def can_use_tool(name, tool_input, context):
    seen["asked"].append(name)
    if use["answer"] == "allow":
        return PermissionResultAllow(updated_input=tool_input)
    return PermissionResultDeny(message="not today")


async def hook(event, tool_use_id, context):
    seen["hooked"].append(f"{event['hook_event_name']} {event['tool_name']}")
    if event["hook_event_name"] == "PreToolUse" and "forbidden" in event["tool_input"]["command"]:
        decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
        return {"hookSpecificOutput": {**decision, "permissionDecisionReason": "forbidden"}}
    return {}


@tool("add", "Adds two numbers", {"a": float, "b": float})
async def add(args):
    seen["added"].append([args["a"], args["b"]])
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


def options(**more):
    chosen = ClaudeAgentOptions(
        cli_path=sim, cwd=os.getcwd(), permission_mode="default", include_partial_messages=True, **more
    )
    if use.get("answer"):
        chosen.can_use_tool = can_use_tool
    if use.get("hooks"):
        chosen.hooks = {
            event: [HookMatcher(matcher="Bash", hooks=[hook])] for event in ("PreToolUse", "PostToolUse")
        }
    if use.get("mcp"):
        chosen.mcp_servers = {"calc": create_sdk_mcp_server("calc", tools=[add])}
    return chosen


async def one_shot():
    async for message in query(prompt=prompts[0], options=options()):
        note(message)


async def conversation():
    async with ClaudeSDKClient(options=options()) as client:
        if use.get("mode"):
            await client.set_permission_mode(use["mode"])
        for prompt in prompts:
            await client.query(prompt)
            async for message in client.receive_response():
                note(message)
        if use.get("mcp"):
            status = await client.get_mcp_status()
            seen["servers"] = [f"{server['name']} {server['status']}" for server in status["mcpServers"]]


async def interrupt():
    async with ClaudeSDKClient(options=options()) as client:
        await client.query(prompts[0])
        interrupted = False
        async for message in client.receive_response():
            note(message)
            if not interrupted and seen["deltas"] == "This much":
                interrupted = True
                await client.interrupt()
        await client.query(prompts[1])
        async for message in client.receive_response():
            note(message)


async def resume():
    async for message in query(prompt=prompts[0], options=options()):
        note(message)
    async for message in query(prompt=prompts[1], options=options(resume=next(iter(sessions)))):
        note(message)


run = {"one-shot": one_shot, "conversation": conversation, "interrupt": interrupt, "resume": resume}
asyncio.run(run[use["name"]]())
seen["sessions"] = len(sessions)
seen["files"] = sorted(os.listdir("."))
print(json.dumps(seen))
