"""A telephone on loopback: SIP (RFC 3261) and RTP (RFC 3550) over UDP, with sequential or parallel
calls. It answers, rings without end, is busy, declines, hangs up early, or stays silent, and
writes the received sound of each call as G.711 mu-law, 8000 bytes per second.

    answerer.py DIRECTORY MODE

prints its port. DIRECTORY contains NUMBER.ulaw after the end of a call, and a file `events` with
one line per event: `invite 1 sip:112@127.0.0.1:5070`, `answer 1`, `bye 1`, `cancel 1`.
"""
import os
import re
import select
import socket
import sys
import time

PARENT = os.getppid()
SILENCE = 0xFF
HANG_UP_AFTER = 1.0


class Call:
    def __init__(self, number, invite, peer):
        self.number, self.invite, self.peer = number, invite, peer
        self.heard, self.first, self.answered_at = bytearray(), None, None
        self.media = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.media.bind(("0.0.0.0", 0))

    def take(self, packet):
        """Stores the payload at its timestamp, so that late packets are in order."""
        if len(packet) < 12 or packet[1] & 0x7F != 0:
            return
        stamp = int.from_bytes(packet[4:8], "big")
        if self.first is None:
            self.first = stamp
        place = (stamp - self.first) & 0xFFFFFFFF
        if place > 8000 * 600:
            return
        payload = packet[12:]
        if len(self.heard) < place + len(payload):
            self.heard += bytes([SILENCE]) * (place + len(payload) - len(self.heard))
        self.heard[place:place + len(payload)] = payload


class Answerer:
    def __init__(self, directory, mode):
        self.directory, self.mode, self.calls, self.count = directory, mode, {}, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def note(self, *words):
        with open(os.path.join(self.directory, "events"), "a") as file:
            print(*words, file=file, flush=True)

    def field(self, message, name):
        found = re.search(rf"^{name}:\s*(.*?)\r?$", message, re.IGNORECASE | re.MULTILINE)
        return found.group(1) if found else ""

    def reply(self, call_or_peer, message, status, more="", body=""):
        lines = [f"SIP/2.0 {status}"]
        lines += [line for line in message.split("\r\n") if line.lower().startswith("via:")]
        to = self.field(message, "To")
        if "tag=" not in to and not status.startswith("100"):
            to += ";tag=answerer"
        lines += [f"From: {self.field(message, 'From')}", f"To: {to}",
                  f"Call-ID: {self.field(message, 'Call-ID')}",
                  f"CSeq: {self.field(message, 'CSeq')}",
                  f"Contact: <sip:answerer@127.0.0.1:{self.port}>"]
        if more:
            lines.append(more)
        text = "\r\n".join(lines) + f"\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        self.socket.sendto(text.encode(), call_or_peer)

    def description(self, call):
        port = call.media.getsockname()[1]
        return ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
                f"m=audio {port} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\na=sendrecv\r\n")

    def invited(self, message, peer):
        name = self.field(message, "Call-ID")
        if name in self.calls:
            return
        self.count += 1
        call = self.calls[name] = Call(self.count, message, peer)
        self.note("invite", call.number, message.split()[1])
        if self.mode == "silent":
            return
        self.reply(peer, message, "100 Trying")
        refusals = {"busy": "486 Busy Here", "declining": "603 Decline"}
        if self.mode in refusals:
            return self.reply(peer, message, refusals[self.mode])
        if self.mode == "early":
            self.reply(peer, message, "183 Session Progress",
                       "Content-Type: application/sdp", self.description(call))
            return
        self.reply(peer, message, "180 Ringing")
        if self.mode != "ringing":
            self.answer(call)

    def answer(self, call):
        self.note("answer", call.number)
        call.answered_at = time.monotonic()
        self.reply(call.peer, call.invite, "200 OK", "Content-Type: application/sdp",
                   self.description(call))

    def end(self, call):
        path = os.path.join(self.directory, f"{call.number}.ulaw")
        with open(path + ".new", "wb") as file:
            file.write(call.heard)
        os.rename(path + ".new", path)
        call.media.close()
        del self.calls[self.field(call.invite, "Call-ID")]

    def hang_up(self, call):
        message = call.invite
        contact = re.search(r"<(sip:[^>]*)>", self.field(message, "Contact")).group(1)
        to = self.field(message, "To") + ";tag=answerer"
        text = (f"BYE {contact} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:{self.port};"
                f"branch=z9hG4bK{call.number}\r\nMax-Forwards: 70\r\nFrom: {to}\r\n"
                f"To: {self.field(message, 'From')}\r\nCall-ID: {self.field(message, 'Call-ID')}"
                "\r\nCSeq: 1 BYE\r\nContent-Length: 0\r\n\r\n")
        self.socket.sendto(text.encode(), call.peer)
        self.note("hangup", call.number)
        self.end(call)

    def told(self, message, peer):
        method = message.split(" ", 1)[0]
        call = self.calls.get(self.field(message, "Call-ID"))
        if method == "INVITE":
            self.invited(message, peer)
        elif method == "BYE":
            if call:
                self.note("bye", call.number)
                self.end(call)
            self.reply(peer, message, "200 OK")
        elif method == "CANCEL":
            if call:
                self.note("cancel", call.number)
            self.reply(peer, message, "200 OK")
            if call:
                self.reply(peer, call.invite, "487 Request Terminated")
                self.end(call)
        elif method not in ("ACK", "SIP/2.0"):
            self.reply(peer, message, "200 OK")

    def serve(self):
        # Ends when the parent process ends for any reason.
        while os.getppid() == PARENT:
            calls = list(self.calls.values())
            media = {call.media: call for call in calls}
            for ready in select.select([self.socket, *media], [], [], 0.05)[0]:
                if ready.fileno() < 0:
                    continue
                packet, peer = ready.recvfrom(65536)
                if ready is self.socket:
                    self.told(packet.decode(errors="replace"), peer)
                else:
                    media[ready].take(packet)
            for call in list(self.calls.values()):
                if (self.mode == "hanging-up" and call.answered_at
                        and time.monotonic() > call.answered_at + HANG_UP_AFTER):
                    self.hang_up(call)


answerer = Answerer(sys.argv[1], sys.argv[2])
print(answerer.port, flush=True)
answerer.serve()
