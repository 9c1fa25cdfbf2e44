"""Tries TCP connections from the network namespace in which it runs.

Reads a JSON list of [address, port] and writes the outcomes in the same order: "open",
"refused" (the destination answered, so the firewall let it pass), or "dropped" (no answer).
"""

import asyncio
import errno
import json
import sys

SECONDS = 1.5
PARALLEL = 400


async def outcome(gate, address, port):
    async with gate:
        try:
            _, writer = await asyncio.wait_for(
                asyncio.open_connection(address, port), SECONDS)
        except (TimeoutError, asyncio.TimeoutError):
            return "dropped"
        except OSError as error:
            return "refused" if error.errno == errno.ECONNREFUSED else "dropped"
        writer.close()
        return "open"


async def main():
    gate = asyncio.Semaphore(PARALLEL)
    targets = json.load(sys.stdin)
    outcomes = await asyncio.gather(*(outcome(gate, *target) for target in targets))
    json.dump(outcomes, sys.stdout)


asyncio.run(main())
