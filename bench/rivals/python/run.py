"""The official Python SDK reading the corpus through query().

usage: python run.py PRINTER   (BENCH_CORPUS names the corpus)
"""

import asyncio
import json
import re
import sys
import time

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


async def main() -> None:
    options = ClaudeAgentOptions(
        cli_path=sys.argv[1],
        include_partial_messages=True,
        # The default of 1 MiB would end the run at the first line of 2 MB.
        max_buffer_size=256 * 1024 * 1024,
    )
    messages = 0
    seconds = 0.0
    started = time.perf_counter()
    async for message in query(prompt="go", options=options):
        messages += 1
        if isinstance(message, ResultMessage):
            seconds = time.perf_counter() - started
    with open("/proc/self/status", encoding="utf-8") as status:
        peak = re.search(r"VmHWM:\s+(\d+)", status.read())
    reading = {
        "messages": messages,
        "seconds": seconds,
        "peak_rss_kib": int(peak.group(1)) if peak else 0,
    }
    print(json.dumps(reading))


asyncio.run(main())
