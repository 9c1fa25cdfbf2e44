"""A tile server: answers every tile with a picture that contains its path, and logs the requests.

usage: tileserver.py PORT LOG
"""

import struct
import sys
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def picture(path):
    """A tile of 256 x 256 grey pixels whose comment is the path."""
    head = struct.pack(">IIBBBBB", 256, 256, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(200 + (row % 32) for _ in range(256)) for row in range(256))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"tEXt", b"Comment\0" + path.encode())
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Tiles(BaseHTTPRequestHandler):
    """Zoom 0 has no tiles, zoom 1 no pictures."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            log.write(f"{self.path} {self.headers.get('User-Agent')} "
                      f"{sorted(name.lower() for name in self.headers)}\n")
        zoom = self.path.split("/")[1]
        body = b"<script>alert(1)</script>" if zoom == "1" else picture(self.path)
        self.send_response(404 if zoom == "0" else 200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "who=somebody")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """The log is a file."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Tiles).serve_forever()
