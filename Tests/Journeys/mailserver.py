"""A mail server for tests with one fault for each recipient; after that it accepts everything.

Usage: mailserver.py PORT DIRECTORY. The part of the recipient's name before the `-` selects the
fault of the first conversation: `cut` closes after 354, `half` after half of the text, `dot` after
the last dot without storing the mail, `full` replies 452 to the text, `twice` stores it and closes
without a reply, `slow` replies after three seconds. Each stored mail is a file named by a number.
"""

import asyncio
import itertools
import pathlib
import sys

PLACE = pathlib.Path(sys.argv[2])
NUMBERS = itertools.count()
SEEN = set()


def store(text):
    partial = PLACE / f".{next(NUMBERS)}"
    partial.write_bytes(text)
    partial.rename(PLACE / f"{partial.name[1:]}.eml")


async def converse(reader, writer):
    def say(line):
        writer.write(line.encode() + b"\r\n")

    say("220 test")
    name = ""
    while line := await reader.readline():
        verb = line[:4].upper()
        if verb == b"RCPT":
            name = line.decode().split("<")[1].split("@")[0]
        if verb == b"QUIT":
            say("221 bye")
            break
        if verb != b"DATA":
            say("250 ok")
            continue
        manner = name.split("-")[0] if name not in SEEN else ""
        SEEN.add(name)
        say("354 go on")
        await writer.drain()
        if manner == "cut":
            break
        if manner == "half":
            await reader.readexactly(100)
            break
        text = await reader.readuntil(b"\r\n.\r\n")
        if manner == "dot":
            break
        if manner == "full":
            say("452 no room")
            continue
        if manner == "slow":
            await asyncio.sleep(3)
        store(text)
        if manner == "twice":
            break
        say("250 taken")
    writer.close()


async def serve():
    PLACE.mkdir(parents=True, exist_ok=True)
    server = await asyncio.start_server(converse, "127.0.0.1", int(sys.argv[1]), limit=1 << 24)
    await server.serve_forever()


asyncio.run(serve())
